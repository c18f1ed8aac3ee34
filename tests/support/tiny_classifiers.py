"""Random NLI checkpoints of three architectures, small enough for a test."""

from __future__ import annotations

WORDS = """
    the a of in not no drug patient fever trial dose blood pressure stroke pain lowered raised was were did and
""".split()
SPECIAL = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
NAMED = {0: "CONTRADICTION", 1: "neutral", 2: "Entailment"}
PAPER_SIZE = {"hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 2, "intermediate_size": 64}


def bert(folder, *, names=NAMED, seed=0, positions=64, num_labels=3):
    """A random BERT classifier with a WordPiece vocabulary of `WORDS` and single letters."""
    import torch
    from transformers import BertConfig, BertForSequenceClassification, BertTokenizer

    letters = [chr(code) for code in range(ord("a"), ord("z") + 1)]
    entries = dict.fromkeys([*SPECIAL, *WORDS, *letters, *(f"##{letter}" for letter in letters), *"0123456789.,?-"])
    tokenizer = BertTokenizer(vocab={entry: i for i, entry in enumerate(entries)})
    tokenizer.save_pretrained(folder)
    torch.manual_seed(seed)
    config = BertConfig(
        vocab_size=len(tokenizer),
        max_position_embeddings=positions,
        num_labels=num_labels,
        **PAPER_SIZE,
        **({} if names is None else {"id2label": names, "label2id": {name: i for i, name in names.items()}}),
    )
    model = BertForSequenceClassification(config)
    # Random weights of the usual size give nearly equal logits; larger ones make a mistake visible.
    torch.nn.init.normal_(model.classifier.weight, std=2.0)
    model.save_pretrained(folder)
    return folder


def roberta(folder, *, seed=0):
    """A random RoBERTa classifier whose tokens are bytes."""
    import torch
    from tokenizers.pre_tokenizers import ByteLevel
    from transformers import RobertaConfig, RobertaForSequenceClassification, RobertaTokenizer

    specials = ["<s>", "<pad>", "</s>", "<unk>", "<mask>"]
    vocab = {entry: i for i, entry in enumerate([*specials, *sorted(ByteLevel.alphabet())])}
    RobertaTokenizer(vocab=vocab, merges=[]).save_pretrained(folder)
    torch.manual_seed(seed)
    config = RobertaConfig(
        vocab_size=len(vocab),
        max_position_embeddings=102,
        type_vocab_size=1,
        num_labels=3,
        **PAPER_SIZE,
        id2label={0: "ENTAILMENT", 1: "NEUTRAL", 2: "CONTRADICTION"},
    )
    model = RobertaForSequenceClassification(config)
    torch.nn.init.normal_(model.classifier.out_proj.weight, std=2.0)
    model.save_pretrained(folder)
    return folder


def mpnet(folder, *, seed=0):
    """A random MPNet classifier over `WORDS`; its positions, too, are counted from the padding index."""
    import torch
    from transformers import MPNetConfig, MPNetForSequenceClassification, MPNetTokenizer

    entries = ["<s>", "<pad>", "</s>", "<unk>", "<mask>", "[UNK]", *WORDS]
    tokenizer = MPNetTokenizer(vocab={entry: i for i, entry in enumerate(entries)})
    tokenizer.save_pretrained(folder)
    torch.manual_seed(seed)
    config = MPNetConfig(
        vocab_size=len(tokenizer),
        max_position_embeddings=66,
        num_labels=3,
        **PAPER_SIZE,
        id2label=NAMED,
        label2id={name: i for i, name in NAMED.items()},
    )
    MPNetForSequenceClassification(config).save_pretrained(folder)
    return folder

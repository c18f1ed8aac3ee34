"""placeholder so that stage one can start"""
def perturbed_pairs(root, *, split, seed):
    raise NotImplementedError

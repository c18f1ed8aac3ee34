"""The tools for assistants through the real client over standard input and output; needs the extra `mcp`."""

import asyncio
import os
import subprocess
import sys

import pytest

mcp = pytest.importorskip("mcp", reason="needs pip install 'fact-aligned-score[mcp]'")


def test_an_assistant_scores_verifies_and_checks_over_stdio():
    from mcp import Client, StdioServerParameters

    async def talk():
        started = StdioServerParameters(
            command=sys.executable, args=["-m", "fas", "serve", "--mcp"], env=dict(os.environ)
        )
        async with Client(started) as client:
            names = {tool.name for tool in (await client.list_tools()).tools}
            passages = ["Metformin lowered blood glucose in adults with type 2 diabetes."]
            scored = await client.call_tool("score", {"prediction": "Metformin lowers glucose.", "passages": passages})
            read = await client.call_tool("verify", {"claim": "Metformin lowers glucose.", "passages": passages})
            question = "I am pregnant. Can I take isotretinoin?"
            flags = await client.call_tool(
                "safety", {"prediction": "Yes, take isotretinoin 20 mg.", "question": question}
            )
            wrong = await client.call_tool("verify", {"claim": 3, "passages": passages})
            bare = await client.call_tool("score", {"prediction": "Metformin lowers glucose."})
            return names, scored, read, flags, wrong, bare

    names, scored, read, flags, wrong, bare = asyncio.run(talk())
    assert names == {"score", "verify", "safety"}
    assert scored.structured_content["support"] == 1.0
    assert read.structured_content["label"] == "supported"
    assert flags.structured_content["flags"]
    assert wrong.is_error
    assert bare.is_error
    assert "evidence" in bare.content[0].text


def test_nothing_but_the_protocol_is_written_to_standard_output():
    done = subprocess.run(
        [sys.executable, "-m", "fas", "serve", "--mcp"], input="", capture_output=True, text=True, check=False
    )
    assert done.stdout == ""


def test_a_text_that_takes_too_long_is_an_error_with_its_reason_and_the_next_call_is_answered():
    from mcp import Client, StdioServerParameters

    async def talk():
        arguments = ["-m", "fas", "serve", "--mcp", "--max-text-seconds", "1"]
        async with Client(
            StdioServerParameters(command=sys.executable, args=arguments, env=dict(os.environ))
        ) as client:
            late = await client.call_tool("safety", {"prediction": "aspirin 5 mg " * 60_000})
            return late, await client.call_tool("safety", {"prediction": ""})

    late, empty = asyncio.run(talk())
    assert late.is_error
    assert "text_timeout" in late.content[0].text
    assert not empty.is_error

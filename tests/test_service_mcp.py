"""The tools for assistants through the real client over standard input and output; needs the extra `mcp`."""

import asyncio
import subprocess
import sys

import pytest

mcp = pytest.importorskip("mcp", reason="needs pip install 'fact-aligned-score[mcp]'")


def test_an_assistant_scores_verifies_and_checks_over_stdio():
    from mcp import Client, StdioServerParameters

    async def talk():
        started = StdioServerParameters(command=sys.executable, args=["-m", "fas", "mcp"])
        async with Client(started) as client:
            names = {tool.name for tool in (await client.list_tools()).tools}
            passages = ["Metformin lowers glucose in adults."]
            scored = await client.call_tool("score", {"prediction": "Metformin lowers glucose.", "passages": passages})
            read = await client.call_tool("verify", {"claim": "Metformin lowers glucose.", "passages": passages})
            question = "I am pregnant. Can I take isotretinoin?"
            flags = await client.call_tool(
                "safety", {"prediction": "Yes, take isotretinoin 20 mg.", "question": question}
            )
            wrong = await client.call_tool("verify", {"claim": 3, "passages": passages})
            return names, scored, read, flags, wrong

    names, scored, read, flags, wrong = asyncio.run(talk())
    assert names == {"score", "verify", "safety"}
    assert scored.structured_content["support@5"] == 1.0
    assert read.structured_content["label"] == "supported"
    assert flags.structured_content["flags"]
    assert wrong.is_error


def test_nothing_but_the_protocol_is_written_to_standard_output():
    done = subprocess.run([sys.executable, "-m", "fas", "mcp"], input="", capture_output=True, text=True, check=False)
    assert done.stdout == ""

"""The official Python SDK, second line. usage: client.py WIRE TARGET CALLS ERA (see ../README.md)"""
import asyncio
import json
import sys

from mcp import Client, StdioServerParameters
from mcp.client.sse import sse_client


def server(wire, target):
    if wire == "stdio":
        command, *args = json.loads(target)
        return StdioServerParameters(command=command, args=args)
    return sse_client(target) if wire == "sse" else target


async def main(wire, target, calls_file, era):
    mode = "2026-07-28" if era == "modern" else "legacy"
    async with Client(server(wire, target), mode=mode) as client:
        tools, cursor = [], None
        while True:
            page = await client.list_tools(cursor=cursor)
            tools += [tool.name for tool in page.tools]
            cursor = page.next_cursor
            if not cursor:
                break
        answers = []
        with open(calls_file, encoding="utf-8") as calls:
            for call in json.load(calls):
                result = await client.call_tool(call["tool"], call["arguments"])
                answers.append({"tool": call["tool"], "result": result.model_dump(mode="json", by_alias=True, exclude_none=True)})
    print(json.dumps({"tools": tools, "answers": answers}))


asyncio.run(main(*sys.argv[1:5]))

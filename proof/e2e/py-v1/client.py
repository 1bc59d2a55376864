"""The official Python SDK, first line. usage: client.py WIRE TARGET CALLS (see ../README.md)"""
import asyncio
import json
import sys

from mcp import ClientSession, StdioServerParameters
from mcp.client.sse import sse_client
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import streamable_http_client
from mcp.client.websocket import websocket_client


def connect(wire, target):
    if wire == "stdio":
        command, *args = json.loads(target)
        return stdio_client(StdioServerParameters(command=command, args=args))
    return {"http": streamable_http_client, "sse": sse_client, "ws": websocket_client}[wire](target)


async def main(wire, target, calls_file):
    async with connect(wire, target) as streams, ClientSession(streams[0], streams[1]) as session:
        await session.initialize()
        tools, cursor = [], None
        while True:
            page = await session.list_tools(cursor)
            tools += [tool.name for tool in page.tools]
            cursor = page.nextCursor
            if not cursor:
                break
        answers = []
        with open(calls_file, encoding="utf-8") as calls:
            for call in json.load(calls):
                # the SDK checks structured content against the output schema here
                result = await session.call_tool(call["tool"], call["arguments"])
                answers.append({"tool": call["tool"], "result": result.model_dump(mode="json", by_alias=True, exclude_none=True)})
    print(json.dumps({"tools": tools, "answers": answers}))


asyncio.run(main(*sys.argv[1:4]))

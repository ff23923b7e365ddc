"""A model on loopback that wants one shell call and is then done.

It answers in the three forms that the coding agents of this test speak: OpenAI responses, OpenAI chat
completions and Gemini. Every request is kept, so that a test can look at what the model was told.
"""

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

DONE = "Finished."
SHELLS = ("shell_command", "exec_command", "shell", "local_shell")


class Model:
    """Serves on a free port until `close`; `requests` has (path, body as text)."""

    def __init__(self, command):
        self.command = command
        self.requests = []
        model = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *_):
                pass

            def do_GET(self):
                self.reply("application/json", json.dumps({"object": "list", "data": [], "models": []}))

            def do_POST(self):
                body = self.rfile.read(int(self.headers.get("Content-Length") or 0)).decode("utf-8", "replace")
                model.requests.append((self.path, body))
                try:
                    request = json.loads(body)
                except ValueError:
                    request = {}
                self.reply(*model.answer(self.path, request))

            def reply(self, kind, text):
                data = text.encode()
                self.send_response(200)
                self.send_header("Content-Type", kind)
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.port = self.server.server_address[1]
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def close(self):
        self.server.shutdown()
        self.server.server_close()

    def answer(self, path, request):
        if "countTokens" in path:
            return "application/json", '{"totalTokens": 1}'
        if "enerateContent" in path:
            return self.gemini(path, request)
        if path.endswith("/responses"):
            return self.responses(request)
        if path.endswith("/chat/completions"):
            return self.chat(request)
        return "application/json", "{}"

    def responses(self, request):
        called = [i for i in request.get("input") or [] if isinstance(i, dict)]
        if any(str(i.get("type")).endswith("call_output") for i in called):
            part = {"type": "output_text", "text": DONE, "annotations": []}
            item = {"type": "message", "id": "m", "role": "assistant", "status": "completed", "content": [part]}
        else:
            names = [tool.get("name") or tool.get("type") for tool in request.get("tools") or []]
            name = next((shell for shell in SHELLS if shell in names), "shell_command")
            arguments = {
                "exec_command": {"cmd": self.command},
                "shell_command": {"command": self.command},
            }.get(name, {"command": ["bash", "-lc", self.command]})
            item = {"type": "function_call", "id": "f", "call_id": "c", "name": name, "status": "completed",
                    "arguments": json.dumps(arguments)}
        usage = {"input_tokens": 1, "output_tokens": 1, "total_tokens": 2,
                 "input_tokens_details": {"cached_tokens": 0}, "output_tokens_details": {"reasoning_tokens": 0}}
        whole = {"id": "r", "object": "response", "status": "completed", "model": "mock", "output": [item],
                 "usage": usage}
        return events([
            {"type": "response.created", "response": {"id": "r"}},
            {"type": "response.output_item.added", "output_index": 0, "item": item},
            {"type": "response.output_item.done", "output_index": 0, "item": item},
            {"type": "response.completed", "response": whole},
        ], named=True)

    def chat(self, request):
        tools = [tool.get("function", {}).get("name") for tool in request.get("tools") or []]
        done = any(message.get("role") == "tool" for message in request.get("messages") or [])
        if done or "bash" not in tools:
            delta, reason = {"role": "assistant", "content": DONE}, "stop"
        else:
            function = {"name": "bash", "arguments": json.dumps({"command": self.command, "description": "x"})}
            call = {"index": 0, "id": "c", "type": "function", "function": function}
            delta, reason = {"role": "assistant", "tool_calls": [call]}, "tool_calls"
        base = {"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "mock"}
        usage = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
        return events([
            {**base, "choices": [{"index": 0, "delta": delta, "finish_reason": None}]},
            {**base, "choices": [{"index": 0, "delta": {}, "finish_reason": reason}], "usage": usage},
            "[DONE]",
        ])

    def gemini(self, path, request):
        parts = [part for content in request.get("contents") or [] for part in content.get("parts") or []]
        if any("functionResponse" in part for part in parts):
            part = {"text": DONE}
        else:
            arguments = {"command": self.command, "description": "x"}
            part = {"functionCall": {"name": "run_shell_command", "args": arguments}}
        whole = {
            "candidates": [{"content": {"role": "model", "parts": [part]}, "finishReason": "STOP", "index": 0}],
            "usageMetadata": {"promptTokenCount": 1, "candidatesTokenCount": 1, "totalTokenCount": 2},
            "modelVersion": "mock",
        }
        if "stream" in path:
            return events([whole])
        return "application/json", json.dumps(whole)


def events(items, named=False):
    text = ""
    for item in items:
        if named:
            text += f"event: {item['type']}\n"
        text += f"data: {item if isinstance(item, str) else json.dumps(item)}\n\n"
    return "text/event-stream", text

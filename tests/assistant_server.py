"""An assistant on 127.0.0.1: it remembers every request and fails on demand, with the plans of judge_server.

with AssistantServer() as server:                       # answers with the first passage, or with the question
    ...  url=server.url
AssistantServer(reply=lambda body: {"output": {"text": "…"}})
AssistantServer(plan=in_order(error(503), None))
"""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from judge_server import Body, JudgeServer, Plan, Received, Response


def echo(body: Body) -> Body:
    """Says the text of the first passage it was given, else the question."""
    passages = body.get("passages")
    answer = passages[0]["text"] if passages else f"You asked: {body['question']}"
    return {"answer": answer, "retrieved": ["c12"], "context": ["c12"], "used_passages": passages is not None}


class AssistantServer(JudgeServer):
    """Serves while the `with` block runs."""

    def __init__(self, reply: Callable[[Body], Any] = echo, plan: Plan | None = None) -> None:
        super().__init__(plan=plan)
        self.reply = reply

    @property
    def url(self) -> str:
        return self.base_url.removesuffix("/v1") + "/ask"

    def respond(self, request: Received) -> Response:
        planned = self.plan(request) if self.plan else None
        if planned is not None and (planned.body is not None or planned.drop):
            return planned
        return replace(planned or Response(), body=self.reply(request.body))

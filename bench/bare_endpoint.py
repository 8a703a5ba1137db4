"""Serve the least a FastAPI endpoint can do: what every answer would cost if answering were free."""

from fastapi import FastAPI
from pydantic import BaseModel


class Ask(BaseModel):
    """The body of an ask."""

    question: str


app = FastAPI()


@app.post("/ask")
async def answer(ask: Ask) -> dict[str, str]:
    """Give the question back."""
    return {"answer": ask.question}

"""Logs of inspect_ai 0.3.285 with its mock model: `pip install inspect_ai`, then `python make.py` in this folder.

Eight questions in four passages. `match/`: two epochs, one scorer, as .eval; `both/`: one epoch, two scorers, as .json.
"""

from pathlib import Path

import tiktoken
from inspect_ai import Task, eval_async
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import ModelOutput, get_model
from inspect_ai.scorer import includes, match


class Words:
    """Counts tokens without a vocabulary from the network."""

    def encode(self, text, **_):
        return text.split()


HERE = Path(__file__).parent
RIGHT = {"small": (1, 2, 4, 7, 12, 13), "large": (1, 2, 3, 4, 5, 6, 8, 9, 10, 11, 12, 13, 14, 16)}
"""The answers that are right: the first eight are those of the first epoch."""


def questions():
    samples = [
        Sample(id=f"q{n}", input=f"{n} + {n}?", target=str(2 * n), metadata={"passage": f"p{(n + 1) // 2}"})
        for n in range(1, 9)
    ]
    return MemoryDataset(samples, name="sums")


def answers(name):
    asked = iter(range(1, 17))

    def answer(messages, *_):
        number = int(messages[-1].text.split()[0])
        wrong = f"{2 * number} is wrong" if name == "large" else "no idea"
        return ModelOutput.from_content("mockllm/model", str(2 * number) if next(asked) in RIGHT[name] else wrong)

    return answer


async def main():
    for name in RIGHT:
        for folder, form, scorer, epochs in (("match", "eval", match(), 2), ("both", "json", [match(), includes()], 1)):
            task = Task(dataset=questions(), scorer=scorer, name="sums")
            model = get_model(f"mockllm/{name}", custom_outputs=answers(name))
            logs = HERE / folder
            (log,) = await eval_async(
                task, model=model, epochs=epochs, log_dir=str(logs), log_format=form, max_samples=1
            )
            Path(log.location.removeprefix("file://")).rename(logs / f"{name}.{form}")


if __name__ == "__main__":
    import asyncio

    tiktoken.get_encoding = lambda _: Words()
    asyncio.run(main())

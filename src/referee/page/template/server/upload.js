"use strict";
(() => {
  const find = (name) => document.getElementById(name);
  const drop = find("drop");
  if (!drop) return;

  const say = (text) => { find("progress").textContent = text; };
  const fail = (message, hint) => {
    say("");
    find("error").hidden = false;
    find("message").textContent = message;
    find("hint").textContent = hint ?? "";
  };
  const answerOf = (request) => { try { return JSON.parse(request.responseText); } catch { return {}; } };

  function send(file) {
    find("error").hidden = true;
    const request = new XMLHttpRequest();
    request.upload.onprogress = (event) => say(`Sending ${file.name}: ${Math.floor(100 * event.loaded / (event.total || 1))}%`);
    request.upload.onload = () => say(`Reading ${file.name} …`);
    request.onerror = () => fail("The file was not taken.", "Is the server still running, and the file below its limit?");
    request.onload = () => {
      const answer = answerOf(request);
      if (request.status === 201) location.assign(answer.address);
      else fail(answer.error ?? `The server answered ${request.status}.`, answer.hint);
    };
    request.open("POST", `/files?name=${encodeURIComponent(file.name)}`);
    request.send(file);
  }

  find("file").addEventListener("change", (event) => { if (event.target.files.length) send(event.target.files[0]); });
  for (const kind of ["dragover", "dragleave", "drop"]) {
    drop.addEventListener(kind, (event) => {
      event.preventDefault();
      drop.classList.toggle("over", kind === "dragover");
      if (kind === "drop" && event.dataTransfer.files.length) send(event.dataTransfer.files[0]);
    });
  }
})();

"use strict";

const at = (id) => document.getElementById(id);
const [form, first, again, save, say] = ["form", "password", "again", "save", "say"].map(at);
const words = say.dataset; // in the language of the page

// The link is a secret: it leaves the address bar and the history at once.
const token = new URLSearchParams(location.search).get("token");
history.replaceState(null, "", location.pathname);

function tell(text, kind, field) {
  say.textContent = text;
  say.className = "say " + kind;
  for (const f of [first, again]) f.toggleAttribute("aria-invalid", false);
  if (field) field.setAttribute("aria-invalid", "true");
  (field || say).focus();
}

function complaint() {
  if ([...first.value].length < 10) return [words.short, first];
  if (first.value !== again.value) return [words.differ, again];
  return null;
}

async function send() {
  const reply = await fetch("/auth/reset-password", {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ token, password: first.value }),
  });
  const body = await reply.json();
  if (!reply.ok) return tell(body.details?.[0] ? `${words.fault} ${body.details[0].message}.` : body.message, "bad");
  form.hidden = true;
  at("title").textContent = words.done;
  tell(words.close, "good");
}

form.addEventListener("submit", async (event) => {
  event.preventDefault();
  const wrong = complaint();
  if (wrong) return tell(wrong[0], "bad", wrong[1]);
  save.disabled = true;
  try {
    await send();
  } catch {
    tell(words.offline, "bad");
  } finally {
    save.disabled = false;
  }
});

at("show").addEventListener("change", (event) => {
  for (const f of [first, again]) f.type = event.target.checked ? "text" : "password";
});

if (token) {
  form.hidden = false;
  first.focus();
} else {
  tell(words.incomplete, "bad");
}

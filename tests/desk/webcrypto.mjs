// Signs a request as a browser would, with WebCrypto and no library, from a key file of `python -m infra.admin key new`.
//
//   node webcrypto.mjs KEY_FILE URL METHOD TARGET [BODY]
//
// Prints the headers as JSON; with SEND=1 in the environment it sends the request and prints status and body.
import { readFile } from "node:fs/promises";

const { subtle } = globalThis.crypto;
const bytes = (text) => new TextEncoder().encode(text);
const base64 = (buffer) => btoa(String.fromCharCode(...new Uint8Array(buffer)));

async function contentDigest(body) {
  return `sha-256=:${base64(await subtle.digest("SHA-256", bytes(body)))}:`;
}

// RFC 9421, 2.2.8: as in application/x-www-form-urlencoded, but with %20 for a space.
const encoded = (text) => new URLSearchParams([[text, ""]]).toString().slice(0, -1).replaceAll("+", "%20");

async function signed(jwk, method, url, headers, body) {
  const components = [["@method", method], ["@authority", url.host], ["@path", url.pathname]];
  for (const [name, value] of url.searchParams) {
    components.push([`@query-param";name="${encoded(name)}`, encoded(value)]);
  }
  const digest = body ? { "content-digest": await contentDigest(body) } : {};
  const all = { ...headers, ...digest };
  for (const name of ["content-digest", "idempotency-key", "if-match"]) {
    if (name in all) components.push([name, all[name]]);
  }
  const now = Math.floor(Date.now() / 1000);
  const [algorithm, alg] =
    jwk.kty === "OKP" ? [{ name: "Ed25519" }, "ed25519"] : [{ name: "HMAC", hash: "SHA-256" }, "hmac-sha256"];
  const parameters =
    `(${components.map(([name]) => `"${name}"`).join(" ")});created=${now};expires=${now + 60}` +
    `;nonce="${crypto.randomUUID()}";keyid="${jwk.kid}";alg="${alg}";tag="zeitnot-admin"`;
  const base = [...components.map(([name, value]) => `"${name}": ${value}`), `"@signature-params": ${parameters}`];
  const key = await subtle.importKey("jwk", jwk, algorithm, false, ["sign"]);
  const signature = base64(await subtle.sign(algorithm, key, bytes(base.join("\n"))));
  return { ...all, "signature-input": `sig=${parameters}`, signature: `sig=:${signature}:` };
}

const [file, server, method, target, body = ""] = process.argv.slice(2);
const jwk = JSON.parse(await readFile(file, "utf8"));
const given = body ? { "content-type": "application/json", "idempotency-key": crypto.randomUUID() } : {};
const url = new URL(target, server);
const headers = await signed(jwk, method, url, given, body);
if (process.env.SEND) {
  const answer = await fetch(url, { method, headers, body: body || undefined });
  console.log(JSON.stringify({ status: answer.status, body: await answer.text() }));
} else {
  console.log(JSON.stringify(headers));
}

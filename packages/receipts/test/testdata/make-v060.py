"""Makes v060.json: receipts of format 0.6.0 and after, signed by openssl, with no code of this repository.

RFC 8785 of ASCII keys and integers is what json.dumps writes with sorted keys and no spaces.
    python3 make-v060.py > v060.json
"""

import base64
import hashlib
import json
import subprocess
import tempfile

SEED = hashlib.sha256(b"countersign: vectors of 0.6.0").digest()
PKCS8 = bytes.fromhex("302e020100300506032b657004220420") + SEED
AT = "2026-06-21T10:00:00Z"
VC = "https://www.w3.org/ns/credentials/v2"
ENVELOPE = {
    "v": "1",
    "alg": "hpke-x25519-hkdf-sha256-aes-256-gcm",
    "recipients": [{"kid": "did:key:z6LSexample#enc-1", "enc": "A" * 43}],
    "ct": "B" * 24,
}


def canonical(value):
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()


def openssl(*args, stdin=b""):
    return subprocess.run(["openssl", *args], input=stdin, capture_output=True, check=True).stdout


def sign(message):
    with tempfile.NamedTemporaryFile() as key, tempfile.NamedTemporaryFile() as text:
        key.write(PKCS8)
        key.flush()
        text.write(message)
        text.flush()
        return openssl("pkeyutl", "-sign", "-rawin", "-inkey", key.name, "-keyform", "DER", "-in", text.name)


def receipt(version, context, sequence=1, previous=None, outcome=None, extra=None):
    unsigned = {
        "@context": [VC, f"https://agentreceipts.ai/context/{context}"],
        "id": f"urn:receipt:00000000-0000-4000-8000-{sequence:012d}",
        "type": ["VerifiableCredential", "AgentReceipt"],
        "version": version,
        "issuer": {"id": "did:agent:vectors"},
        "issuanceDate": AT,
        "credentialSubject": {
            "principal": {"id": "did:user:ann"},
            "action": {
                "id": f"act_00000000-0000-4000-8000-{sequence:012d}",
                "type": "filesystem.file.read",
                "risk_level": "low",
                "timestamp": AT,
            },
            "outcome": {"status": "success", **(outcome or {})},
            "chain": {"sequence": sequence, "previous_receipt_hash": previous, "chain_id": "vectors"},
        },
        **(extra or {}),
    }
    message = canonical(unsigned)
    proof = {
        "type": "Ed25519Signature2020",
        "created": AT,
        "verificationMethod": "did:agent:vectors#key-1",
        "proofPurpose": "assertionMethod",
        "proofValue": "u" + base64.urlsafe_b64encode(sign(message)).decode().rstrip("="),
    }
    return {**unsigned, "proof": proof}, "sha256:" + hashlib.sha256(message).hexdigest()


def chain(*links):
    receipts, previous = [], None
    for sequence, (version, context, outcome) in enumerate(links, 1):
        made, previous = receipt(version, context, sequence, previous, outcome)
        receipts.append(made)
    return receipts


def single(*args, **named):
    made, digest = receipt(*args, **named)
    return {"receipt": made, "hash": digest}


DISCLOSED = {"response_disclosure": ENVELOPE}
V1 = ("0.1.0", "0.2.0", "0.2.1", "0.3.0", "0.4.0")
print(
    json.dumps(
        {
            "publicKey": openssl("pkey", "-inform", "DER", "-pubout", stdin=PKCS8).decode(),
            "versions": [
                *[single(version, "v1") for version in V1],
                single("0.5.0", "v2"),
                single("0.6.0", "v3"),
                single("0.6.0", "v3", outcome=DISCLOSED),
            ],
            "chain": chain(*[(version, "v1", None) for version in V1], ("0.5.0", "v2", None), ("0.6.0", "v3", DISCLOSED)),
            "malformed": {
                "0.6.0 under v2": single("0.6.0", "v2")["receipt"],
                "0.5.0 under v3": single("0.5.0", "v3")["receipt"],
                "a disclosure that is a text": single("0.6.0", "v3", outcome={"response_disclosure": "x"})["receipt"],
                "a version that never was": single("0.5.1", "v2")["receipt"],
                "no version": single("newest", "v3")["receipt"],
            },
            "newer": [
                single("0.6.1", "v3"),
                single("0.7.0", "v4", extra={"something": {"new": 1}}),
                single("0.10.0", "v3"),
                single("1.0.0-rc.1", "v3"),
            ],
            "newerChain": chain(("0.6.0", "v3", None), ("0.7.0", "v3", None), ("0.8.0", "v3", None), ("0.6.0", "v3", None)),
        },
        indent=1,
    )
)

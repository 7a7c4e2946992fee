# Python 3.8 and later, without packages. Pass the raw body: JSON that was parsed and written again has other bytes.
import base64
import hashlib
import hmac
import time

TOLERANCE_SECONDS = 300


def verify(body: bytes, headers, secret: str) -> bool:
    names = ("webhook-id", "webhook-timestamp", "webhook-signature")
    id, timestamp, signatures = (headers.get(name) or "" for name in names)
    if not timestamp.isdecimal() or abs(time.time() - int(timestamp)) > TOLERANCE_SECONDS:
        return False
    key = base64.b64decode(secret[6:]) if secret.startswith("whsec_") else secret.encode()
    digest = hmac.new(key, f"{id}.{timestamp}.".encode() + body, hashlib.sha256).digest()
    expected = "v1," + base64.b64encode(digest).decode()
    return any(hmac.compare_digest(expected.encode(), given.encode()) for given in signatures.split(" "))


# Flask:
#
#   @app.post("/tieout")
#   def tieout():
#       if not verify(request.get_data(), request.headers, os.environ["WEBHOOK_SECRET"]):
#           abort(401)
#       return "", 204

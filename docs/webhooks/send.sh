#!/bin/sh
# Sends a signed event to a receiver of yours with openssl and curl, to try its verification before it is registered:
#   sh send.sh "$secret" http://localhost:8080/tieout
secret=$1 url=$2

key_hex() {
  case $secret in
    whsec_*) printf '%s' "${secret#whsec_}" | openssl base64 -d -A ;;
    *) printf '%s' "$secret" ;;
  esac | od -An -v -tx1 | tr -d ' \n'
}

id=evt_$(openssl rand -hex 16)
timestamp=$(date +%s)
body='{"type":"webhook.test","timestamp":"2026-11-20T09:30:00.000Z","data":{"message":"It works."}}'
signature="v1,$(printf '%s.%s.%s' "$id" "$timestamp" "$body" | openssl dgst -sha256 -mac HMAC -macopt "hexkey:$(key_hex)" -binary | openssl base64 -A)"

curl --silent --show-error --output /dev/null --write-out '%{http_code}\n' "$url" \
  --header 'content-type: application/json' --header "webhook-id: $id" --header "webhook-timestamp: $timestamp" \
  --header "webhook-signature: $signature" --data-raw "$body"

# Ruby 2.7 and later, without gems. Pass the raw body: JSON that was parsed and written again has other bytes.
require "openssl"

TOLERANCE_SECONDS = 300

def verify(body, headers, secret)
  id, timestamp, signatures = headers.values_at("webhook-id", "webhook-timestamp", "webhook-signature")
  seconds = Integer(timestamp.to_s, 10, exception: false)
  return false if seconds.nil? || (Time.now.to_i - seconds).abs > TOLERANCE_SECONDS

  key = secret.start_with?("whsec_") ? secret.delete_prefix("whsec_").unpack1("m") : secret.b
  digest = OpenSSL::HMAC.digest("SHA256", key, "#{id}.#{timestamp}.".b + body.b)
  expected = "v1,#{[digest].pack("m0")}"
  signatures.to_s.split.any? { |given| OpenSSL.secure_compare(given, expected) }
end

# Rails: headers = %w[webhook-id webhook-timestamp webhook-signature].to_h { |name| [name, request.headers[name]] }
#        head(verify(request.raw_post, headers, ENV.fetch("WEBHOOK_SECRET")) ? :no_content : :unauthorized)

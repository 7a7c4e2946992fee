// Java 11 and later, without packages. Pass the raw body: JSON that was parsed and written again has other bytes.
import static java.nio.charset.StandardCharsets.UTF_8;

import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.time.Instant;
import java.util.Base64;
import java.util.Map;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

public final class Verify {
  private static final long TOLERANCE_SECONDS = 300;

  public static boolean verify(byte[] body, Map<String, String> headers, String secret) throws GeneralSecurityException {
    String id = headers.get("webhook-id");
    String timestamp = headers.get("webhook-timestamp");
    String signatures = headers.get("webhook-signature");
    if (id == null || timestamp == null || signatures == null || !timestamp.matches("\\d{1,12}")) return false;
    if (Math.abs(Instant.now().getEpochSecond() - Long.parseLong(timestamp)) > TOLERANCE_SECONDS) return false;

    byte[] key = secret.startsWith("whsec_") ? Base64.getDecoder().decode(secret.substring(6)) : secret.getBytes(UTF_8);
    Mac mac = Mac.getInstance("HmacSHA256");
    mac.init(new SecretKeySpec(key, "HmacSHA256"));
    mac.update((id + "." + timestamp + ".").getBytes(UTF_8));
    byte[] expected = ("v1," + Base64.getEncoder().encodeToString(mac.doFinal(body))).getBytes(UTF_8);

    for (String given : signatures.split(" ")) {
      if (MessageDigest.isEqual(expected, given.getBytes(UTF_8))) return true;
    }
    return false;
  }
}

package io.fdt.service.oidc;

import com.nimbusds.openid.connect.sdk.claims.IDTokenClaimsSet;
import io.fdt.service.store.access.Role;
import io.fdt.service.value.Fault;
import io.fdt.service.value.Secrets;
import io.fdt.service.value.ServiceException;
import java.util.Collection;
import java.util.Map;
import java.util.regex.Pattern;

/**
 * A person as the identity provider describes it. Immutable.
 *
 * @param subject its permanent id at this issuer
 * @param name the user name
 */
public record Person(String issuer, String subject, String name, Role role) {
  private static final Pattern NAME = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._@-]{0,99}");

  /** Reads a verified token. */
  static Person of(IDTokenClaimsSet claims, OidcSettings settings) throws ServiceException {
    String issuer = claims.getIssuer().getValue();
    String subject = claims.getSubject().getValue();
    Object groups = within(claims.toJSONObject(), settings.groupsClaim());
    if (!settings.memberGroup().isEmpty() && !has(groups, settings.memberGroup())) {
      throw Fault.FORBIDDEN.of(
          "your account is not in the group of those who may use this service");
    }
    boolean isAdmin = !settings.adminGroup().isEmpty() && has(groups, settings.adminGroup());
    return new Person(
        issuer, subject, name(claims, settings, subject), isAdmin ? Role.ADMIN : Role.USER);
  }

  private static String name(IDTokenClaimsSet claims, OidcSettings settings, String subject)
      throws ServiceException {
    Object name = claims.getClaim(settings.nameClaim());
    if (settings.nameClaim().equals("email")
        && !Boolean.TRUE.equals(claims.getClaim("email_verified"))) {
      throw Fault.FORBIDDEN.of("your e-mail address is not verified; verify it at the provider");
    }
    return name instanceof String text && NAME.matcher(text).matches()
        ? text
        : "user-" + Secrets.hash(claims.getIssuer().getValue() + "\n" + subject).substring(0, 12);
  }

  /** The value at a path of names separated by dots; null if missing. */
  private static Object within(Map<String, Object> claims, String path) {
    if (claims.containsKey(path)) {
      return claims.get(path); // some claims have addresses as names
    }
    Object value = claims;
    for (String name : path.split("\\.", -1)) {
      value = value instanceof Map<?, ?> map ? map.get(name) : null;
    }
    return value;
  }

  private static boolean has(Object groups, String group) {
    return groups instanceof Collection<?> all ? all.contains(group) : group.equals(groups);
  }
}

package io.fdt.core.security;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.attribute.AclEntry;
import java.nio.file.attribute.AclEntryPermission;
import java.nio.file.attribute.AclEntryType;
import java.nio.file.attribute.UserPrincipal;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

class OtherUsersTest {
  private static final Set<AclEntryPermission> WRITE = EnumSet.of(AclEntryPermission.WRITE_DATA);

  private record User(String getName) implements UserPrincipal {}

  private static final UserPrincipal OWNER = new User("owner");
  private static final UserPrincipal SYSTEM = new User("SYSTEM");
  private static final UserPrincipal USERS = new User("Users");

  @Test
  void anotherOneInAnAccessListIsNamed() {
    assertThat(first(allowing(OWNER, WRITE), allowing(USERS, WRITE))).contains("Users");
  }

  @Test
  void theOwnerAndTheSystemAreNoOthers() {
    assertThat(first(allowing(OWNER, WRITE), allowing(SYSTEM, WRITE))).isEmpty();
  }

  @Test
  void otherRightsDoNotMatter() {
    assertThat(first(allowing(USERS, EnumSet.of(AclEntryPermission.READ_DATA)))).isEmpty();
  }

  @Test
  void aRefusalIsNoRight() {
    AclEntry entry = AclEntry.newBuilder(allowing(USERS, WRITE)).setType(AclEntryType.DENY).build();
    assertThat(first(entry)).isEmpty();
  }

  @Test
  void withoutAListEveryoneMayChangeAFile() {
    assertThat(first()).contains("everyone");
  }

  private static Optional<String> first(AclEntry... list) {
    return OtherUsers.first(List.of(list), WRITE, Set.of(OWNER, SYSTEM));
  }

  private static AclEntry allowing(UserPrincipal user, Set<AclEntryPermission> rights) {
    return AclEntry.newBuilder()
        .setType(AclEntryType.ALLOW)
        .setPrincipal(user)
        .setPermissions(rights)
        .build();
  }
}

package io.fdt.core.security;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.model.Grant;
import io.fdt.core.model.RelayGrant;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a running server makes of token files that change, go away, or cannot be read. */
class TokenBookTest {
  private static final InetAddress HERE = InetAddress.getLoopbackAddress();

  @TempDir Path directory;

  private Path tokens;
  private TokenFile file;
  private TokenBook book;
  private String token;
  private Grant granted;

  @BeforeEach
  void makeTokens() throws Exception {
    file = new TokenFile(new HomeDirectory(directory.resolve("fdt")));
    tokens = directory.resolve("fdt/tokens");
    token = file.create(Grant.unlimited("alice", Instant.EPOCH));
    book = new TokenBook(file, Optional.of(Grant.unlimited("anonymous", Instant.EPOCH)));
    granted = book.admit(token, HERE);
  }

  @AfterEach
  void close() {
    book.close();
  }

  @Test
  void aFileThatCannotBeReadForAMomentRevokesNothing() throws Exception {
    Path aside = directory.resolve("aside");
    Files.move(tokens, aside);
    Files.createDirectory(tokens, privately());

    assertCode(book::reload, ErrorCode.PERMISSION);
    book.check(granted);
    assertCode(() -> book.admit(token, HERE), ErrorCode.BUSY);
    assertCode(() -> book.admit("fdt_wrong", HERE), ErrorCode.BUSY);
    assertThat(book.admit("", HERE).name()).as("needs no file").isEqualTo("anonymous");

    Files.delete(tokens);
    Files.move(aside, tokens);
    book.reload();
    assertThat(book.admit(token, HERE)).isEqualTo(granted);
    assertCode(() -> book.admit("fdt_wrong", HERE), ErrorCode.UNAUTHENTICATED);
  }

  @Test
  void whatWasRevokedMeanwhileIsRevokedAsSoonAsTheFileCanBeReadAgain() throws Exception {
    Files.delete(tokens);
    Files.createDirectory(tokens, privately());
    assertCode(book::reload, ErrorCode.PERMISSION);
    Files.delete(tokens);

    reloadTwice();

    assertCode(() -> book.check(granted), ErrorCode.UNAUTHENTICATED);
  }

  @Test
  void aFileThatIsGoneHoldsNoToken() throws Exception {
    Files.delete(tokens);
    reloadTwice();

    assertCode(() -> book.check(granted), ErrorCode.UNAUTHENTICATED);
    assertCode(() -> book.admit(token, HERE), ErrorCode.UNAUTHENTICATED);
  }

  @Test
  void aTokenThatIsGoneFromTheFileIsRevoked() throws Exception {
    file.revoke("alice");
    reloadTwice();

    assertCode(() -> book.check(granted), ErrorCode.UNAUTHENTICATED);
  }

  @Test
  void expiredTokenIsNotAdmittedAndLosesWhatItWasGranted() throws Exception {
    Grant expired = grant("bob", Optional.of(Instant.now().minusSeconds(1)), List.of());
    String old = file.create(expired);
    Grant later = grant("carol", Optional.of(Instant.now().plusSeconds(1000)), List.of());
    String young = file.create(later);
    book.reload();

    assertCode(() -> book.admit(old, HERE), ErrorCode.UNAUTHENTICATED);
    assertCode(() -> book.check(expired), ErrorCode.UNAUTHENTICATED);
    assertThat(book.admit(young, HERE)).isEqualTo(later);
    book.check(later);
  }

  @Test
  void tokenIsGoodFromItsAddressesOnly() throws Exception {
    Grant local = grant("bob", Optional.empty(), List.of("192.0.2.0/24"));
    String fromThere = file.create(local);
    book.reload();

    assertThat(book.admit(fromThere, InetAddress.getByName("192.0.2.7"))).isEqualTo(local);
    assertCode(() -> book.admit(fromThere, HERE), ErrorCode.FORBIDDEN);
  }

  /** As {@code > tokens}, an editor or a program does: emptied first, then written in pieces. */
  @Test
  void aFileThatIsWrittenInItsPlaceRevokesNothingMeanwhile() throws Exception {
    String bob = file.create(Grant.unlimited("bob", Instant.EPOCH));
    assertThat(book.reload()).isTrue();
    Grant ofBob = book.admit(bob, HERE);
    String whole = Files.readString(tokens);
    for (int length : new int[] {0, whole.indexOf('\n') + 1}) {
      Files.writeString(tokens, whole.substring(0, length));
      assertThat(book.reload()).as("confirmed with %d characters", length).isFalse();
      book.check(granted);
      book.check(ofBob);
    }
    Files.delete(tokens); // or it is replaced in two steps
    assertThat(book.reload()).isFalse();
    book.check(granted);

    Files.writeString(tokens, whole);
    Files.setPosixFilePermissions(tokens, PosixFilePermissions.fromString("rw-------"));
    assertThat(book.reload()).isTrue();
    book.check(granted);
    book.check(ofBob);
  }

  @Test
  void aNewTokenCountsAtOnceAlsoBesideOneThatIsGone() throws Exception {
    file.revoke("alice");
    String bob = file.create(Grant.unlimited("bob", Instant.EPOCH));

    assertThat(book.reload()).isFalse();

    assertThat(book.admit(bob, HERE).name()).isEqualTo("bob");
    assertThat(book.reload()).isTrue();
    assertCode(() -> book.check(granted), ErrorCode.UNAUTHENTICATED);
    assertThat(book.admit(bob, HERE).name()).isEqualTo("bob");
  }

  private void reloadTwice() throws FdtException {
    assertThat(book.reload()).isFalse();
    assertThat(book.reload()).isTrue();
  }

  private static Grant grant(String name, Optional<Instant> expires, List<String> addresses) {
    return new Grant(
        name,
        Instant.EPOCH,
        expires,
        false,
        Set.of(),
        addresses,
        true,
        false,
        RelayGrant.UNLIMITED);
  }

  @Test
  void clientWithoutTokenIsRefusedWhereNobodyIsAnonymous() throws Exception {
    try (TokenBook strict = new TokenBook(file, Optional.empty())) {
      assertCode(() -> strict.admit("", HERE), ErrorCode.UNAUTHENTICATED);
      assertThat(strict.admit(token, HERE)).isEqualTo(granted);
    }
  }

  @Test
  void serverWithOneTokenTakesThatOneForEver() throws Exception {
    try (TokenBook own = new TokenBook("fdt_one", Optional.empty())) {
      own.reload();
      Grant one = own.admit("fdt_one", HERE);
      own.check(one);
      assertThat(one.label()).isEqualTo("own");
      assertCode(() -> own.admit("fdt_two", HERE), ErrorCode.UNAUTHENTICATED);
      assertCode(() -> own.check(granted), ErrorCode.UNAUTHENTICATED);
    }
  }

  /** Somebody may have written a token of his own into it. */
  @Test
  void aFileThatOthersMayChangeHoldsNoToken() throws Exception {
    Files.setPosixFilePermissions(tokens, PosixFilePermissions.fromString("rw--w----"));

    assertCode(book::reload, ErrorCode.FORBIDDEN);
    assertCode(() -> book.check(granted), ErrorCode.UNAUTHENTICATED);
    assertCode(() -> book.admit(token, HERE), ErrorCode.UNAUTHENTICATED);
  }

  private static java.nio.file.attribute.FileAttribute<?> privately() {
    return PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------"));
  }

  private static void assertCode(ThrowingCallable call, ErrorCode expected) {
    assertThatThrownBy(call).extracting(e -> ((FdtException) e).code()).isEqualTo(expected);
  }
}

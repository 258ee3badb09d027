package io.fdt.cli.run.copy;

import io.fdt.cli.option.transfer.CopySums;
import io.fdt.cli.option.transfer.SumsFile;
import io.fdt.cli.output.CheckLine;
import io.fdt.cli.run.Clients;
import io.fdt.client.DigestCheck;
import io.fdt.client.DoneFile;
import io.fdt.client.FdtClient;
import io.fdt.client.FileProblem;
import io.fdt.client.FoundFile;
import io.fdt.client.LocalDigests;
import io.fdt.client.RemoteDigest;
import io.fdt.client.RemoteFiles;
import io.fdt.client.RemoteVisitor;
import io.fdt.client.TransferListener;
import io.fdt.client.TransferRequest;
import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.model.BytePath;
import io.fdt.core.model.ByteText;
import io.fdt.core.model.EntryKind;
import io.fdt.core.model.PathText;
import java.nio.file.Files;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/**
 * The plain digests of the files of a copy: for a list of them, and to be compared with a list.
 * Digests that this machine computes are compared before a file gets its name; the destination
 * computes the others (unchanged files, hard links, copies between two servers) after the copy.
 *
 * <p>Listens on the threads of the transfer; {@link #finish} is for one thread, after it. Memory:
 * about 100 bytes for each file of the list, and for each that the destination reads.
 */
final class SumsRun implements TransferListener, DigestCheck, AutoCloseable {
  /** The most names at the top of the destination that are requested one by one. */
  private static final int MOST_TOPS = 1000;

  private final CopySums sums;
  private final TransferListener problems;
  private final ArrivalNames names;
  private final SumsWriter writer;

  /** Hashes of the paths, beneath the destination, of files whose digests are not known yet. */
  private final Set<Long> unknown = new HashSet<>();

  private final Set<String> tops = new TreeSet<>();
  private final Map<String, SumsFile.Sum> missing;

  /** The only file so far; a single file may arrive under another name. */
  private String onlyName;

  private String onlyDigest;
  private long arrived;
  private long same;
  private int status;

  /**
   * @param problems takes files that differ from the list
   * @throws FdtException USAGE when the list cannot be written
   */
  SumsRun(CopySums sums, TransferRequest request, TransferListener problems) throws FdtException {
    this.sums = sums;
    this.problems = problems;
    this.names = new ArrivalNames(request);
    if (sums.hasLists()) {
      names.requireDistinct();
    }
    this.missing = new HashMap<>(sums.expected());
    this.writer = SumsWriter.of(sums.manifest());
  }

  /** The request, with digests computed at this end if possible. */
  TransferRequest with(TransferRequest request) {
    return sums.made() ? request.withPlainDigests(sums.checksum(), this) : request;
  }

  @Override
  public void check(String path, String digest) throws FdtException {
    SumsFile.Sum expected = expected(names.of(path));
    if (expected != null && !expected.digest().equals(digest)) {
      throw new FdtException(
          ErrorCode.VERIFICATION,
          "'%s': %s; not copied".formatted(path, difference(digest, expected)));
    }
  }

  private static String difference(String digest, SumsFile.Sum expected) {
    return "its digest is %s, but %s says %s"
        .formatted(digest, expected.where(), expected.digest());
  }

  /** The entry of a file in the list; null for none. */
  private SumsFile.Sum expected(String name) {
    return sums.expected().get(key(name));
  }

  /** The name in the list: a single source that gets another name may be listed under either. */
  private String key(String name) {
    return sums.expected().containsKey(name) || !names.isOnlySource(name) ? name : names.last();
  }

  @Override
  public synchronized void fileDone(DoneFile file) {
    String name = names.of(file.path());
    if (sums.made() && file.construction().equals(RemoteDigest.plainName(sums.checksum()))) {
      known(name, file.digest());
    } else {
      ask(name);
    }
  }

  @Override
  public synchronized void fileUnchanged(FoundFile file) {
    ask(names.of(file.path()));
  }

  @Override
  public synchronized void problem(FileProblem problem) {
    if (!problem.skipped()) { // a skipped file fails because it is listed
      missing.remove(key(names.of(problem.path()))); // the other listener shows why
    }
  }

  private void known(String name, String digest) {
    if (missing.remove(key(name)) != null) {
      same++;
    }
    if (arrived++ == 0) {
      onlyName = name;
      onlyDigest = digest;
    } else {
      writeOnly(onlyName);
      writer.line(CheckLine.of(digest, BytePath.of(ByteText.encode(name))));
    }
  }

  private void writeOnly(String name) {
    if (onlyDigest != null) {
      writer.line(CheckLine.of(onlyDigest, BytePath.of(ByteText.encode(name))));
      onlyDigest = null;
    }
  }

  private void ask(String name) {
    arrived++;
    unknown.add(hash(name));
    if (tops.size() <= MOST_TOPS) {
      int slash = name.indexOf('/');
      tops.add(slash < 0 ? name : name.substring(0, slash));
    }
  }

  /** FNV-1a over the characters, then the last step of SplitMix64. */
  private static long hash(String path) {
    long hash = 0xcbf29ce484222325L;
    for (int i = 0; i < path.length(); i++) {
      hash = (hash ^ path.charAt(i)) * 0x100000001b3L;
    }
    hash = (hash ^ (hash >>> 30)) * 0xbf58476d1ce4e5b9L;
    return (hash ^ (hash >>> 27)) * 0x94d049bb133111ebL;
  }

  /** Reads the digests at a path. */
  private interface Reading {
    void of(BytePath path, RemoteVisitor visitor) throws FdtException, InterruptedException;
  }

  /**
   * Reads unknown digests, and ends the lists; the result is an exit status.
   *
   * @param client of the destination; unused if that is this machine
   * @throws FdtException the destination cannot be read, or the list cannot be written
   */
  synchronized int finish(FdtClient client) throws FdtException, InterruptedException {
    if (names.isPull()) {
      try (LocalDigests digests = new LocalDigests(sums.checksum(), true)) {
        finish(isFileHere(), (path, visitor) -> digests.run(path, true, visitor));
      }
    } else if (unknown.isEmpty() && (onlyDigest == null || arrived > 1)) {
      finish(false, (path, visitor) -> {}); // nothing is asked
    } else {
      try (RemoteFiles files = client.files()) {
        boolean isFile =
            arrived == 1
                && files
                    .stat(names.destination())
                    .kind()
                    .filter(EntryKind.FILE::equals)
                    .isPresent();
        finish(
            isFile, (path, visitor) -> files.checksum(path, true, sums.checksum(), true, visitor));
      }
    }
    return status;
  }

  private boolean isFileHere() {
    return Files.isRegularFile(names.destination().toPath());
  }

  /**
   * @param isFile whether a single file has arrived under the name of the destination
   */
  private void finish(boolean isFile, Reading reading) throws FdtException, InterruptedException {
    writeOnly(isFile ? names.last() : onlyName);
    if (!unknown.isEmpty()) {
      if (isFile) {
        unknown.clear();
        unknown.add(hash(names.last()));
        tops.clear();
        tops.add(names.last());
      }
      readUnknown(names.base(isFile), reading);
    }
    writer.finish();
    for (SumsFile.Sum sum : missing.values()) {
      failed(sum.path().toString(), ErrorCode.NOT_FOUND, "not copied, but listed: " + sum.where());
    }
    if (!sums.expected().isEmpty()) {
      problems.notice(
          "%d of %d files are as the list says".formatted(same, sums.expected().size()));
    }
  }

  private void readUnknown(BytePath base, Reading reading)
      throws FdtException, InterruptedException {
    if (tops.size() > MOST_TOPS) {
      read(base, BytePath.EMPTY, reading);
      return;
    }
    for (String top : tops) {
      BytePath name = ByteText.path(top);
      read(base.resolve(name), name, reading);
    }
  }

  private void read(BytePath path, BytePath name, Reading reading)
      throws FdtException, InterruptedException {
    try {
      reading.of(path, new Comparing(path, name));
    } catch (FdtException e) {
      if (Clients.isOfConnection(e.code())) {
        throw e;
      }
      failed(path.toString(), e.code(), e.getMessage());
    }
  }

  private void failed(String path, ErrorCode code, String message) {
    status = Math.max(status, code.exitStatus());
    problems.problem(new FileProblem(path, false, code, message));
  }

  /** Removes an unfinished list. Idempotent. */
  @Override
  public void close() throws FdtException {
    writer.close();
  }

  /** Compares the digests at one name. */
  private final class Comparing implements RemoteVisitor {
    private final BytePath asked;
    private final BytePath top;

    Comparing(BytePath asked, BytePath top) {
      this.asked = asked;
      this.top = top;
    }

    @Override
    public void digest(RemoteDigest digest) {
      BytePath path = beneath(digest.path());
      String name = CopySums.normal(ByteText.decode(path.bytes()));
      if (!unknown.contains(hash(name))) {
        return;
      }
      writer.line(CheckLine.of(digest.digest(), BytePath.of(ByteText.encode(name))));
      SumsFile.Sum expected = missing.remove(key(name));
      if (expected == null) {
        return;
      }
      if (expected.digest().equals(digest.digest())) {
        same++;
      } else {
        failed(
            path.toString(),
            ErrorCode.VERIFICATION,
            difference(digest.digest(), expected) + "; it was there before, and stays");
      }
    }

    private BytePath beneath(BytePath path) {
      return path.equals(asked) ? top : top.resolve(path);
    }

    @Override
    public void problem(String path, ErrorCode code, String message) {
      BytePath found = beneath(BytePath.of(PathText.unescape(path)));
      if (unknown.contains(hash(CopySums.normal(ByteText.decode(found.bytes()))))) {
        failed(path, code, message);
      }
    }
  }
}

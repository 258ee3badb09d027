package io.fdt.cli.run;

import io.fdt.cli.option.CopySums;
import io.fdt.cli.option.SumsFile;
import io.fdt.cli.output.CheckLine;
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
import java.nio.file.Path;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/**
 * The plain digests of the files of a copy, as they are at the destination when it is done: for a
 * list of them, and to be compared with a list.
 *
 * <p>Told of files on the threads of the transfer; the rest is for one thread, after it. Memory:
 * about 100 bytes for each file.
 */
final class SumsRun implements TransferListener {
  /** More names at the top of the destination than this are not asked for one by one. */
  private static final int MOST_TOPS = 1000;

  private final CopySums sums;
  private final TransferListener problems;
  private final ArrivalNames names;

  /** Hashes of the paths of files that were copied or unchanged, beneath the destination. */
  private final Set<Long> arrived = new HashSet<>();

  private final Set<String> tops = new TreeSet<>();
  private final Map<String, SumsFile.Sum> missing;
  private SumsWriter writer;
  private long same;
  private int status;

  /**
   * @param problems is told of files that are not as the list says
   */
  SumsRun(CopySums sums, TransferRequest request, TransferListener problems) {
    this.sums = sums;
    this.problems = problems;
    this.names = new ArrivalNames(request);
    this.missing = new HashMap<>(sums.expected());
  }

  @Override
  public synchronized void fileDone(DoneFile file) {
    add(file.path());
  }

  @Override
  public synchronized void fileUnchanged(FoundFile file) {
    add(file.path());
  }

  @Override
  public void problem(FileProblem problem) {
    // The other listener tells of it, and the file is not there.
  }

  private void add(String path) {
    String name = names.of(path);
    arrived.add(hash(name));
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

  /** Reads digests of what is at a path. */
  private interface Reading {
    void of(BytePath path, RemoteVisitor visitor) throws FdtException, InterruptedException;
  }

  /**
   * Reads the files again, after the copy; the result is an exit status.
   *
   * @param client the server that has them; unused where they have arrived on this machine
   * @throws FdtException the destination cannot be read, or the list not be written
   */
  synchronized int finish(FdtClient client) throws FdtException, InterruptedException {
    if (names.isPull()) {
      try (LocalDigests digests = new LocalDigests(sums.checksum(), true)) {
        return finish(base(isFileHere()), (path, visitor) -> digests.run(path, true, visitor));
      }
    }
    try (RemoteFiles files = client.files()) {
      boolean isFile =
          !arrived.isEmpty()
              && files.stat(names.destination()).kind().filter(EntryKind.FILE::equals).isPresent();
      return finish(
          base(isFile),
          (path, visitor) -> files.checksum(path, true, sums.checksum(), true, visitor));
    }
  }

  /** The directory that names are relative to; one file may have another name there. */
  private BytePath base(boolean isFile) {
    if (isFile) {
      String name = names.last();
      arrived.clear();
      arrived.add(hash(name));
      tops.clear();
      tops.add(name);
    }
    return names.base(isFile);
  }

  private boolean isFileHere() {
    return Files.isRegularFile(Path.of(ByteText.decode(names.destination().bytes())));
  }

  private int finish(BytePath base, Reading reading) throws FdtException, InterruptedException {
    try (SumsWriter open = SumsWriter.of(sums.manifest())) {
      writer = open;
      if (tops.size() > MOST_TOPS) {
        read(base, BytePath.EMPTY, reading);
      } else {
        for (String top : tops) {
          BytePath name = ByteText.path(top);
          read(base.resolve(name), name, reading);
        }
      }
      writer.finish();
    }
    for (SumsFile.Sum sum : missing.values()) {
      failed(sum.path().toString(), ErrorCode.NOT_FOUND, "not copied, but listed: " + sum.where());
    }
    if (!sums.expected().isEmpty()) {
      problems.notice(
          "%d of %d files are as the list says".formatted(same, sums.expected().size()));
    }
    return status;
  }

  private void read(BytePath path, BytePath name, Reading reading)
      throws FdtException, InterruptedException {
    try {
      reading.of(path, new Comparing(path, name));
    } catch (FdtException e) {
      if (FilesRun.isOfConnection(e.code())) {
        throw e;
      }
      failed(path.toString(), e.code(), e.getMessage());
    }
  }

  private void failed(String path, ErrorCode code, String message) {
    status = Math.max(status, code.exitStatus());
    problems.problem(new FileProblem(path, false, code, message));
  }

  /** Takes the digests of what is at one name. */
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
      if (!arrived.contains(hash(name))) {
        return;
      }
      writer.line(CheckLine.of(digest.digest(), BytePath.of(ByteText.encode(name))));
      SumsFile.Sum expected = missing.remove(name);
      if (expected == null) {
        return;
      }
      if (expected.digest().equals(digest.digest())) {
        same++;
      } else {
        failed(
            path.toString(),
            ErrorCode.VERIFICATION,
            "its digest is %s, but %s says %s; the file stays"
                .formatted(digest.digest(), expected.where(), expected.digest()));
      }
    }

    private BytePath beneath(BytePath path) {
      return path.equals(asked) ? top : top.resolve(path);
    }

    @Override
    public void problem(String path, ErrorCode code, String message) {
      BytePath found = beneath(BytePath.of(PathText.unescape(path)));
      if (arrived.contains(hash(CopySums.normal(ByteText.decode(found.bytes()))))) {
        failed(path, code, message);
      }
    }
  }
}

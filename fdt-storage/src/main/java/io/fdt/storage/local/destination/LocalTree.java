package io.fdt.storage.local.destination;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.model.DirectIo;
import io.fdt.core.model.Preservation;
import io.fdt.core.storage.DestinationDirectory.PendingFile;
import io.fdt.core.storage.OpenFileLimit;
import io.fdt.storage.local.destination.replace.BackupPlace;
import io.fdt.storage.local.destination.replace.FinishingCalls;
import io.fdt.storage.local.destination.replace.NameProbe;
import io.fdt.storage.local.destination.replace.Replacer;
import io.fdt.storage.local.destination.replace.WidenedModes;
import io.fdt.storage.local.os.CachePolicy;
import io.fdt.storage.local.os.Directory;
import io.fdt.storage.local.os.DirectoryScope;
import io.fdt.storage.local.os.IdleDirectories;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The state shared by the directories and files of one {@link LocalDestination}: writing of
 * metadata, backups, and the set of unfinished files. Any thread.
 */
final class LocalTree {
  /**
   * Resources of the process.
   *
   * @param openFiles limit on open unfinished files
   * @param idle limit on idle directories
   * @param calls system calls that finish a file
   */
  record Resources(OpenFileLimit openFiles, IdleDirectories idle, FinishingCalls calls) {
    static Resources of(OpenFileLimit openFiles) {
      return new Resources(openFiles, IdleDirectories.OF_PROCESS, FinishingCalls.KERNEL);
    }
  }

  private final Resources resources;
  private final DirectoryScope scope;
  private volatile CachePolicy cache = new CachePolicy(DirectIo.OFF);
  private final MetadataWriter metadataWriter;
  private final Replacer replacer;
  private final WidenedModes modes = new WidenedModes();
  private final UnnamedTempFiles nameless = new UnnamedTempFiles();
  private final NameProbe names = new NameProbe();
  private final Map<Long, Boolean> mayFailAtClose = new ConcurrentHashMap<>();
  private final Set<PendingFile> unfinished = ConcurrentHashMap.newKeySet();

  LocalTree(Preservation kept, Resources resources) {
    this.resources = resources;
    this.scope = new DirectoryScope(resources.idle());
    this.replacer = new Replacer(scope, resources.calls(), modes);
    this.metadataWriter = new MetadataWriter(kept, true);
  }

  void pass(CachePolicy policy) {
    cache = policy;
  }

  CachePolicy cache() {
    return cache;
  }

  DirectoryScope scope() {
    return scope;
  }

  FinishingCalls calls() {
    return resources.calls();
  }

  MetadataWriter metadataWriter() {
    return metadataWriter;
  }

  UnnamedTempFiles nameless() {
    return nameless;
  }

  NameProbe names() {
    return names;
  }

  /**
   * Whether closing a file in a directory may be the first call to report lost data. Queried once
   * per file system.
   */
  boolean mayFailAtClose(Directory directory) throws FdtException {
    long device = directory.firstSeen().device();
    Boolean known = mayFailAtClose.get(device);
    if (known == null) {
      int pinned = directory.pin();
      try {
        known = calls().mayFailAtClose(pinned);
      } finally {
        directory.unpin();
      }
      mayFailAtClose.put(device, known);
    }
    return known;
  }

  WidenedModes modes() {
    return modes;
  }

  Replacer replacer() {
    return replacer;
  }

  /** Rejects the directory for backups as a directory of files. */
  void checkTakesData(Directory directory) throws FdtException {
    BackupPlace backups = replacer.backupPlace();
    if (backups != null && backups.isAt(directory.firstSeen())) {
      throw new FdtException(
          ErrorCode.WRONG_KIND,
          "'%s' is the directory for backups, and the source has one of that name: exclude it, or"
                  .formatted(directory.path())
              + " choose another one");
    }
  }

  /** Opens an unfinished file; see {@link #open}. */
  interface Opening {
    PendingFile open() throws FdtException;
  }

  /** Opens a file and keeps it until it is {@link #done}. */
  PendingFile open(Opening opening) throws FdtException {
    resources.openFiles().take();
    PendingFile file;
    try {
      file = opening.open();
    } catch (FdtException | RuntimeException | Error e) {
      resources.openFiles().giveBack();
      throw e;
    }
    unfinished.add(file);
    if (scope.isClosed()) {
      file.close();
    }
    return file;
  }

  /** The file was published, removed or left for a later transfer. */
  void done(PendingFile file) {
    if (unfinished.remove(file)) {
      resources.openFiles().giveBack();
    }
  }

  void closeUnfinished() {
    unfinished.forEach(PendingFile::close);
  }
}

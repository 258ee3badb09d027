package io.fdt.s3;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.model.BytePath;
import io.fdt.core.model.CheckedRange;
import io.fdt.core.model.EntryKind;
import io.fdt.core.model.FileMetadata;
import io.fdt.core.model.FileName;
import io.fdt.core.model.Owner;
import io.fdt.core.model.SourceVersion;
import io.fdt.core.model.Timestamp;
import io.fdt.core.storage.Attributes;
import io.fdt.core.storage.DeletionRules;
import io.fdt.core.storage.DestinationDirectory;
import io.fdt.core.storage.DiskId;
import io.fdt.core.storage.Durability;
import io.fdt.core.storage.FileShape;
import io.fdt.core.storage.PartialFile;
import io.fdt.core.wire.Crc32cCombine;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import software.amazon.awssdk.services.s3.model.MetadataDirective;
import software.amazon.awssdk.services.s3.model.RequestPayer;

/** The objects beneath a prefix, as a directory. Thread-safe. */
final class S3Directory implements DestinationDirectory {
  /** Ranges of an interrupted upload that the sender compares; more parts are joined. */
  private static final int MOST_RANGES = 4096;

  /** The mode of an object whose metadata has none. */
  private static final int UNKNOWN_MODE = -1;

  private static final int UNKNOWN_OWNER = -1;

  private final S3Destination destination;
  private final Store store;
  private final ObjectPath path;
  private final boolean fresh;
  private final KnownObjects known;

  /** The ETags of objects that may be replaced. */
  private final Map<FileName, String> seen = new ConcurrentHashMap<>();

  /** Uploads that are continued. */
  private final Map<FileName, MultipartUpload.Found> continued = new ConcurrentHashMap<>();

  /** What runs when the object of a name takes the place of a directory. */
  private final Map<FileName, Runnable> replacing = new ConcurrentHashMap<>();

  S3Directory(S3Destination destination, ObjectPath path, boolean fresh) {
    this.destination = destination;
    this.store = destination.store();
    this.path = path;
    this.fresh = fresh;
    this.known = new KnownObjects(store, path, destination.requests());
  }

  /** {@inheritDoc} 8 MiB, from which on a file has parts. */
  @Override
  public long journaledBytes() {
    return destination.spec().digestMethod().isOfChunks() ? Long.MAX_VALUE : PartSizes.SINGLE + 1;
  }

  @Override
  public DiskId disk() {
    return S3Storage.DISK;
  }

  @Override
  public boolean isFresh() {
    return fresh;
  }

  @Override
  public String path() {
    return path.toString();
  }

  @Override
  public Optional<Attributes> find(FileName name) throws FdtException {
    Optional<Store.Found> object = known.find(name);
    if (object.isPresent()) {
      seen.put(name, String.valueOf(object.get().tag()));
      return Optional.of(attributes(object.get()));
    }
    return known.isDirectory(name) ? Optional.of(DIRECTORY) : Optional.empty();
  }

  private static final Attributes DIRECTORY =
      new Attributes(
          Optional.of(EntryKind.DIRECTORY),
          0,
          0755,
          new Timestamp(0, 0),
          new Timestamp(0, 0),
          0,
          0,
          1,
          0,
          0,
          0);

  /** The inode is a hash of the ETag: another version of the object is another file. */
  private static Attributes attributes(Store.Found object) {
    Timestamp modified = ObjectMetadata.modified(object.metadata(), object.stored());
    Optional<Owner> owner = ObjectMetadata.owner(object.metadata());
    return new Attributes(
        Optional.of(EntryKind.FILE),
        object.size(),
        ObjectMetadata.mode(object.metadata()).orElse(UNKNOWN_MODE),
        modified,
        modified,
        0,
        object.tag() == null ? 0 : S3Catalogue.identity(object.tag()),
        1,
        object.size(),
        owner.map(Owner::user).orElse(UNKNOWN_OWNER),
        owner.map(Owner::group).orElse(UNKNOWN_OWNER));
  }

  @Override
  public DestinationDirectory makeDirectory(FileName name) throws FdtException {
    boolean isThere = !fresh && known.isDirectory(name);
    if (!fresh && !isThere && known.find(name).isPresent()) {
      throw new FdtException(
          ErrorCode.WRONG_KIND,
          "'%s' is an object, not a directory; remove it first".formatted(path.child(name)));
    }
    return opened(name, !isThere);
  }

  private S3Directory opened(FileName name, boolean isFresh) throws FdtException {
    ObjectPath child = path.child(name);
    if (isFresh && store.settings().markers() && !destination.spec().dryRun()) {
      ObjectPath marker = new ObjectPath(child.bucket(), child.prefix());
      String unused =
          new ObjectWriter(store, marker).put(Unpooled.EMPTY_BUFFER, Map.of(), Conditions.NONE);
    }
    return new S3Directory(destination, child, isFresh);
  }

  @Override
  public DestinationDirectory replaceByDirectory(FileName name) throws FdtException {
    ObjectPath object = path.child(name);
    if (!destination.spec().dryRun()) {
      RequestPayer payer = store.payer();
      Object unused =
          store.send(
              object,
              client ->
                  client.deleteObject(
                      request ->
                          request.bucket(object.bucket()).key(object.key()).requestPayer(payer)));
    }
    return opened(name, !known.isDirectory(name));
  }

  @Override
  public boolean mayRemoveDirectory(FileName name, List<FileName> way, DeletionRules rules)
      throws InterruptedException {
    return deletion(rules, true).removeTree(path.child(name), way);
  }

  @Override
  public void letReplace(FileName name, List<FileName> way, DeletionRules rules) {
    replacing.put(
        name,
        () -> {
          try {
            boolean unused = deletion(rules, false).removeTree(path.child(name), way);
          } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
          }
        });
  }

  private PrefixDeletion deletion(DeletionRules rules, boolean pretend) {
    return new PrefixDeletion(store, destination.requests(), rules, pretend, 0);
  }

  @Override
  public ExistingFile openExisting(FileName name, Attributes found) {
    return new ObjectReader(store, path.child(name), found.size(), found.inode());
  }

  /** {@inheritDoc} An object of another program may have no mode or owner, which is no change. */
  @Override
  public boolean agrees(Attributes found, int mode, Timestamp modified, FileMetadata metadata) {
    Owner owner = metadata.owner();
    boolean hasMode = found.mode() == UNKNOWN_MODE || found.mode() == mode;
    boolean hasOwner =
        owner == null
            || found.user() == UNKNOWN_OWNER
            || (found.user() == owner.user() && found.group() == owner.group());
    return hasMode && hasOwner && (modified == null || found.modified().equals(modified));
  }

  @Override
  public boolean wouldChange(int mode, Timestamp modified, Owner owner) {
    return false;
  }

  /** {@inheritDoc} The store copies an object that does not agree to itself, with its metadata. */
  @Override
  public void refresh(
      ExistingFile file,
      int mode,
      Timestamp modified,
      FileMetadata metadata,
      Consumer<FdtException> warnings)
      throws FdtException {
    ObjectPath object = ((ObjectReader) file).path();
    Store.Found found =
        store
            .find(object)
            .orElseThrow(
                () ->
                    new FdtException(
                        ErrorCode.SOURCE_CHANGED,
                        "'" + object + "' was removed meanwhile; run the command again"));
    if (agrees(attributes(found), mode, modified, metadata)) {
      return;
    }
    Map<String, String> all = new HashMap<>(found.metadata());
    Timestamp kept =
        modified == null ? ObjectMetadata.modified(found.metadata(), found.stored()) : modified;
    all.putAll(ObjectMetadata.of(mode, kept, metadata));
    Settings settings = store.settings();
    String tag =
        store.send(
            object,
            client ->
                client
                    .copyObject(
                        request ->
                            request
                                .sourceBucket(object.bucket())
                                .sourceKey(object.key())
                                .destinationBucket(object.bucket())
                                .destinationKey(object.key())
                                .copySourceIfMatch(found.tag())
                                .metadataDirective(MetadataDirective.REPLACE)
                                .metadata(all)
                                .contentType(ObjectWriter.TYPE)
                                .serverSideEncryption(settings.encryption())
                                .ssekmsKeyId(settings.kmsKey())
                                .storageClass(settings.storageClass())
                                .requestPayer(settings.payer()))
                    .copyObjectResult()
                    .eTag());
    seen.put(object.name(), String.valueOf(tag));
  }

  @Override
  public boolean makeLink(
      FileName name,
      BytePath target,
      Timestamp modified,
      Owner owner,
      Consumer<FdtException> warnings) {
    throw new IllegalStateException("a link, which this storage has none of");
  }

  @Override
  public void attach(FileMetadata metadata, Consumer<FdtException> warnings) {}

  /** {@inheritDoc} Another name gets a copy. */
  @Override
  public boolean makeHardLink(
      FileName name, DestinationDirectory first, FileName firstName, long size) {
    return false;
  }

  @Override
  public PendingFile create(FileName name, FileShape shape) throws FdtException {
    ObjectPath object = path.child(name);
    if (!destination.begin(object)) {
      throw new FdtException(
          ErrorCode.IN_USE, "another transfer is writing '" + object + "'; wait for it");
    }
    MultipartUpload.Found found = continued.remove(name);
    MultipartUpload.Found kept = shape.kept().isEmpty() ? null : found;
    MultipartUpload superseded =
        kept == null && found != null && !found.isRecent() ? found.upload() : null;
    ObjectUpload file =
        new ObjectUpload(
            destination,
            object,
            shape,
            shape.isNew() ? Conditions.NEW : conditions(name, object),
            kept,
            () -> {
              replaced(name);
              if (superseded != null) {
                new ObjectWriter(store, object).abort(superseded);
              }
            });
    destination.began(file);
    return file;
  }

  private void replaced(FileName name) {
    known.wrote(name);
    seen.remove(name);
    Runnable removal = replacing.remove(name);
    if (removal != null) {
      removal.run();
    }
  }

  /** An object that was not there when it was looked for must not be there yet. */
  private Conditions conditions(FileName name, ObjectPath object) {
    String tag = seen.get(name);
    return Optional.ofNullable(tag)
        .or(() -> destination.writtenTag(object))
        .map(Conditions::replacing)
        .orElse(Conditions.NEW);
  }

  @Override
  public boolean put(
      FileName name, ByteBuf bytes, int mode, Timestamp modified, FileMetadata metadata)
      throws FdtException {
    ObjectPath object = path.child(name);
    if (destination.isClosed()) {
      throw new FdtException(
          ErrorCode.CANCELLED, "'" + object + "' was closed before it was complete");
    }
    String tag =
        new ObjectWriter(store, object)
            .put(bytes, ObjectMetadata.of(mode, modified, metadata), conditions(name, object));
    destination.wrote(object, tag);
    replaced(name);
    return true;
  }

  /**
   * {@inheritDoc} The store does not say of which version of the source its parts are: the sender
   * compares their checksums.
   */
  @Override
  public PartialFile findPartial(FileName name, SourceVersion version) throws FdtException {
    long partSize = PartSizes.of(version.size());
    Optional<MultipartUpload.Found> found =
        Uploads.of(store, path.child(name), version.size(), partSize);
    if (found.isEmpty()) {
      return PartialFile.NONE;
    }
    continued.put(name, found.get());
    return PartialFile.of(ranges(found.get().parts(), partSize), false);
  }

  /** The ranges of parts; adjacent ones are joined where there are too many. */
  private static List<CheckedRange> ranges(List<UploadedPart> parts, long partSize) {
    int most = (parts.size() + MOST_RANGES - 1) / MOST_RANGES;
    List<CheckedRange> ranges = new ArrayList<>();
    int joined = 0;
    for (UploadedPart part : parts) {
      long start = (part.number() - 1) * partSize;
      CheckedRange last = ranges.isEmpty() ? null : ranges.get(ranges.size() - 1);
      if (last != null && joined < most && last.end() == start) {
        int crc = Crc32cCombine.combine(last.crc(), part.crc(), part.length());
        ranges.set(ranges.size() - 1, new CheckedRange(last.start(), start + part.length(), crc));
        joined++;
      } else {
        ranges.add(new CheckedRange(start, start + part.length(), part.crc()));
        joined = 1;
      }
    }
    return ranges;
  }

  /** {@inheritDoc} A prefix has no attributes. */
  @Override
  public List<FdtException> finish(int mode, Timestamp modified, Durability durability) {
    return List.of();
  }

  @Override
  public void force() {}

  @Override
  public void close() {
    seen.clear();
    continued.clear();
  }
}

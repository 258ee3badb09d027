package io.fdt.core.spec;

import com.google.protobuf.ByteString;
import com.google.protobuf.InvalidProtocolBufferException;
import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.model.BytePath;
import io.fdt.core.model.Changing;
import io.fdt.core.model.Compression;
import io.fdt.core.model.FileCut;
import io.fdt.core.model.FilePart;
import io.fdt.core.model.Operand;
import io.fdt.core.model.Preservation;
import io.fdt.core.model.SyncRule;
import io.fdt.core.model.Tuning;
import io.fdt.core.unit.RateSchedule;
import io.fdt.core.wire.ChecksumCoding;
import io.fdt.core.wire.SelectionCoding;
import io.fdt.core.wire.control.Aspect;
import io.fdt.core.wire.control.ChangeRule;
import io.fdt.core.wire.control.LinkRule;
import io.fdt.core.wire.control.Source;
import io.fdt.core.wire.control.SyncLevel;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;

/**
 * Encodes a {@link TransferSpec} as the message of the same name in control.proto, which defines
 * each field. Pure. The methods on messages are for FDT itself; programs use those on bytes.
 */
public final class TransferSpecCoding {
  /** Version of the message; a reader refuses any other. */
  static final int VERSION = 1;

  private TransferSpecCoding() {}

  public static byte[] toBytes(TransferSpec spec) {
    return encode(spec).toByteArray();
  }

  /**
   * The inverse of {@link #toBytes}.
   *
   * @throws FdtException PROTOCOL for malformed bytes, an unknown version, or an invalid spec
   */
  public static TransferSpec ofBytes(byte[] bytes) throws FdtException {
    try {
      return decode(io.fdt.core.wire.control.TransferSpec.parseFrom(bytes));
    } catch (InvalidProtocolBufferException e) {
      throw bad("the description of the transfer is malformed", e);
    }
  }

  public static io.fdt.core.wire.control.TransferSpec encode(TransferSpec spec) {
    var message =
        io.fdt.core.wire.control.TransferSpec.newBuilder()
            .setVersion(VERSION)
            .setDestination(bytes(spec.destination()))
            .setDestinationIsDirectory(spec.destinationIsDirectory())
            .setRecursive(spec.recursive())
            .setSelection(SelectionCoding.encode(spec.selection()))
            .setChanging(encode(spec.changing()))
            .setSync(encode(spec.sync().level()))
            .setUpdate(spec.sync().update())
            .setDryRun(spec.dryRun())
            .setDelete(spec.delete())
            // Long.MAX_VALUE (no limit) is encoded as 0.
            .setMaxDeletePlusOne(spec.maxDelete() == Long.MAX_VALUE ? 0 : spec.maxDelete() + 1)
            .setDeleteFromEmpty(spec.deleteFromEmpty())
            .setBackups(bytes(spec.backups().orElse(BytePath.EMPTY)))
            .setLinks(encode(spec.preservation().links()))
            .setChecksum(ChecksumCoding.encode(spec.assurance().checksum()))
            .setVerify(spec.assurance().verify())
            .setFsync(spec.assurance().fsync())
            .setStreams(spec.streams())
            .setStreamsChosen(spec.streamsChosen())
            .setAutoStreams(spec.tuning().streams())
            .setStartStreams(spec.tuning().startStreams())
            .setAutoReaders(spec.tuning().readers())
            .setCongestion(spec.tuning().congestion())
            .setReadersPerDisk(spec.readersPerDisk())
            .setWritersPerDisk(spec.writersPerDisk())
            .setBlockSize(spec.blockSize())
            .setSocketBuffer(spec.socketBuffer());
    for (Operand operand : spec.sources()) {
      message.addSources(
          Source.newBuilder()
              .setPath(bytes(operand.path()))
              .setTarget(bytes(operand.target().orElse(BytePath.EMPTY))));
    }
    for (Preservation.Aspect aspect : spec.preservation().aspects()) {
      message.addPreserve(encode(aspect));
    }
    if (!spec.part().isWhole()) {
      message.setPart(encode(spec.part()));
    }
    if (spec.compression().isOn()) {
      message.setCompression(spec.compression().toString());
    }
    if (!spec.rateLimit().isNone()) {
      message.setRateLimit(spec.rateLimit().toString());
    }
    return message.build();
  }

  /**
   * Decodes a message.
   *
   * @throws FdtException PROTOCOL for unknown or invalid values
   */
  public static TransferSpec decode(io.fdt.core.wire.control.TransferSpec message)
      throws FdtException {
    if (message.getVersion() != VERSION) {
      throw bad(
          "the description of the transfer has version %d, this release knows version %d"
              .formatted(message.getVersion(), VERSION),
          null);
    }
    long maxDelete = message.getMaxDeletePlusOne();
    try {
      return new TransferSpec(
          sources(message),
          path(message.getDestination()),
          message.getDestinationIsDirectory(),
          message.getRecursive(),
          SelectionCoding.decode(message.getSelection()),
          part(message.getPart()),
          decode(message.getChanging()),
          new SyncRule(decode(message.getSync()), message.getUpdate()),
          message.getDryRun(),
          message.getDelete(),
          maxDelete == 0 ? Long.MAX_VALUE : maxDelete - 1,
          message.getDeleteFromEmpty(),
          message.getBackups().isEmpty()
              ? Optional.empty()
              : Optional.of(path(message.getBackups())),
          new Preservation(aspects(message), decode(message.getLinks())),
          new Assurance(
              ChecksumCoding.decode(message.getChecksum()),
              message.getVerify(),
              message.getFsync()),
          message.getStreams(),
          message.getStreamsChosen(),
          new Tuning(
              message.getAutoStreams(),
              message.getStartStreams(),
              message.getAutoReaders(),
              message.getCongestion()),
          message.getReadersPerDisk(),
          message.getWritersPerDisk(),
          blockSize(message.getBlockSize()),
          message.getSocketBuffer(),
          message.getRateLimit().isEmpty()
              ? RateSchedule.NONE
              : RateSchedule.parse(message.getRateLimit()),
          message.getCompression().isEmpty()
              ? Compression.OFF
              : Compression.parse(message.getCompression()));
    } catch (IllegalArgumentException e) {
      throw bad(e.getMessage(), e);
    }
  }

  private static List<Operand> sources(io.fdt.core.wire.control.TransferSpec message) {
    List<Operand> sources = new ArrayList<>();
    for (Source source : message.getSourcesList()) {
      Optional<BytePath> target =
          source.getTarget().isEmpty() ? Optional.empty() : Optional.of(path(source.getTarget()));
      sources.add(new Operand(path(source.getPath()), target));
    }
    return sources;
  }

  private static io.fdt.core.wire.control.FilePart.Builder encode(FilePart part) {
    io.fdt.core.wire.control.FilePart.Builder message =
        io.fdt.core.wire.control.FilePart.newBuilder()
            .setOffset(part.offset())
            .setLengthPlusOne(part.length().orElse(-1) + 1);
    part.cut()
        .ifPresent(cut -> message.setFileSize(cut.fileSize()).setRangeBytes(cut.rangeBytes()));
    return message;
  }

  private static FilePart part(io.fdt.core.wire.control.FilePart message) {
    long length = message.getLengthPlusOne();
    return new FilePart(
        message.getOffset(),
        length == 0 ? OptionalLong.empty() : OptionalLong.of(length - 1),
        message.getRangeBytes() == 0
            ? Optional.empty()
            : Optional.of(new FileCut(message.getFileSize(), message.getRangeBytes())));
  }

  private static Set<Preservation.Aspect> aspects(io.fdt.core.wire.control.TransferSpec message)
      throws FdtException {
    Set<Preservation.Aspect> aspects = EnumSet.noneOf(Preservation.Aspect.class);
    for (Aspect aspect : message.getPreserveList()) {
      aspects.add(decode(aspect));
    }
    return aspects;
  }

  private static int blockSize(int bytes) {
    TransferSpec.checkRange("block size", bytes, TransferSpec.MIN_BLOCK, TransferSpec.MAX_BLOCK);
    return bytes;
  }

  private static ChangeRule encode(Changing changing) {
    return switch (changing) {
      case FAIL -> ChangeRule.CHANGING_FAIL;
      case SKIP -> ChangeRule.CHANGING_SKIP;
      case COPY -> ChangeRule.CHANGING_COPY;
    };
  }

  private static Changing decode(ChangeRule rule) throws FdtException {
    return switch (rule) {
      case CHANGING_FAIL -> Changing.FAIL;
      case CHANGING_SKIP -> Changing.SKIP;
      case CHANGING_COPY -> Changing.COPY;
      case UNRECOGNIZED -> throw unknown("the rule for files that change");
    };
  }

  private static SyncLevel encode(SyncRule.Level level) {
    return switch (level) {
      case MTIME -> SyncLevel.SYNC_MTIME;
      case SIZE -> SyncLevel.SYNC_SIZE;
      case EXISTS -> SyncLevel.SYNC_EXISTS;
      case CHECKSUM -> SyncLevel.SYNC_CHECKSUM;
      case NEVER -> SyncLevel.SYNC_NEVER;
    };
  }

  private static SyncRule.Level decode(SyncLevel level) throws FdtException {
    return switch (level) {
      case SYNC_MTIME -> SyncRule.Level.MTIME;
      case SYNC_SIZE -> SyncRule.Level.SIZE;
      case SYNC_EXISTS -> SyncRule.Level.EXISTS;
      case SYNC_CHECKSUM -> SyncRule.Level.CHECKSUM;
      case SYNC_NEVER -> SyncRule.Level.NEVER;
      case UNRECOGNIZED -> throw unknown("the level of sync");
    };
  }

  private static Aspect encode(Preservation.Aspect aspect) {
    return switch (aspect) {
      case MODE -> Aspect.ASPECT_MODE;
      case TIMES -> Aspect.ASPECT_TIMES;
      case SPECIAL_BITS -> Aspect.ASPECT_SPECIAL_BITS;
      case OWNER -> Aspect.ASPECT_OWNER;
      case XATTRS -> Aspect.ASPECT_XATTRS;
      case ALL_XATTRS -> Aspect.ASPECT_ALL_XATTRS;
      case ACLS -> Aspect.ASPECT_ACLS;
      case HARD_LINKS -> Aspect.ASPECT_HARD_LINKS;
      case SPARSE -> Aspect.ASPECT_SPARSE;
    };
  }

  private static Preservation.Aspect decode(Aspect aspect) throws FdtException {
    return switch (aspect) {
      case ASPECT_MODE -> Preservation.Aspect.MODE;
      case ASPECT_TIMES -> Preservation.Aspect.TIMES;
      case ASPECT_SPECIAL_BITS -> Preservation.Aspect.SPECIAL_BITS;
      case ASPECT_OWNER -> Preservation.Aspect.OWNER;
      case ASPECT_XATTRS -> Preservation.Aspect.XATTRS;
      case ASPECT_ALL_XATTRS -> Preservation.Aspect.ALL_XATTRS;
      case ASPECT_ACLS -> Preservation.Aspect.ACLS;
      case ASPECT_HARD_LINKS -> Preservation.Aspect.HARD_LINKS;
      case ASPECT_SPARSE -> Preservation.Aspect.SPARSE;
      case ASPECT_UNSET, UNRECOGNIZED -> throw unknown("something to preserve");
    };
  }

  private static LinkRule encode(Preservation.Links links) {
    return switch (links) {
      case COPY -> LinkRule.LINKS_COPY;
      case FOLLOW -> LinkRule.LINKS_FOLLOW;
      case SKIP -> LinkRule.LINKS_SKIP;
    };
  }

  private static Preservation.Links decode(LinkRule links) throws FdtException {
    return switch (links) {
      case LINKS_COPY -> Preservation.Links.COPY;
      case LINKS_FOLLOW -> Preservation.Links.FOLLOW;
      case LINKS_SKIP -> Preservation.Links.SKIP;
      case UNRECOGNIZED -> throw unknown("the rule for links");
    };
  }

  private static ByteString bytes(BytePath path) {
    return ByteString.copyFrom(path.bytes());
  }

  private static BytePath path(ByteString bytes) {
    return BytePath.of(bytes.toByteArray());
  }

  private static FdtException unknown(String what) {
    return bad("this version does not know the requested value of " + what, null);
  }

  private static FdtException bad(String flaw, Exception cause) {
    return new FdtException(ErrorCode.PROTOCOL, "bad request: " + flaw, cause);
  }
}

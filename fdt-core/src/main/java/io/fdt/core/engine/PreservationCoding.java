package io.fdt.core.engine;

import io.fdt.core.error.ErrorCode;
import io.fdt.core.error.FdtException;
import io.fdt.core.model.Preservation;
import io.fdt.core.wire.control.Aspect;
import io.fdt.core.wire.control.LinkRule;
import io.fdt.core.wire.control.OpenSession;
import java.util.EnumSet;
import java.util.Set;

/** What is kept of files, in the message that opens a session and out of it. */
public final class PreservationCoding {
  private PreservationCoding() {}

  /** Puts it into the message that opens a session. */
  public static void encode(Preservation preservation, OpenSession.Builder open) {
    for (Preservation.Aspect aspect : preservation.aspects()) {
      open.addPreserve(
          switch (aspect) {
            case MODE -> Aspect.ASPECT_MODE;
            case TIMES -> Aspect.ASPECT_TIMES;
            case SPECIAL_BITS -> Aspect.ASPECT_SPECIAL_BITS;
            case OWNER -> Aspect.ASPECT_OWNER;
            case XATTRS -> Aspect.ASPECT_XATTRS;
            case ALL_XATTRS -> Aspect.ASPECT_ALL_XATTRS;
            case ACLS -> Aspect.ASPECT_ACLS;
            case HARD_LINKS -> Aspect.ASPECT_HARD_LINKS;
            case SPARSE -> Aspect.ASPECT_SPARSE;
          });
    }
    open.setLinks(
        switch (preservation.links()) {
          case COPY -> LinkRule.LINKS_COPY;
          case FOLLOW -> LinkRule.LINKS_FOLLOW;
          case SKIP -> LinkRule.LINKS_SKIP;
        });
  }

  /**
   * Takes it from the message that opens a session.
   *
   * @throws FdtException PROTOCOL when this version does not know it
   */
  public static Preservation decode(OpenSession open) throws FdtException {
    Set<Preservation.Aspect> aspects = EnumSet.noneOf(Preservation.Aspect.class);
    for (Aspect aspect : open.getPreserveList()) {
      aspects.add(
          switch (aspect) {
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
          });
    }
    Preservation.Links links =
        switch (open.getLinks()) {
          case LINKS_COPY -> Preservation.Links.COPY;
          case LINKS_FOLLOW -> Preservation.Links.FOLLOW;
          case LINKS_SKIP -> Preservation.Links.SKIP;
          case UNRECOGNIZED -> throw unknown("a rule for links");
        };
    return new Preservation(aspects, links);
  }

  private static FdtException unknown(String what) {
    return new FdtException(
        ErrorCode.PROTOCOL,
        "bad request: this version does not know " + what + " that is asked for");
  }
}

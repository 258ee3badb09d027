package io.fdt.core.model;

import java.util.Collection;
import java.util.Collections;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/**
 * The attributes of files that are kept besides names and bytes. Immutable.
 *
 * <p>Aspects include what they depend on: special bits and access lists include the mode, all
 * attributes include those of users.
 *
 * @param aspects the attributes to keep
 * @param links how symbolic links are treated
 */
public record Preservation(Set<Aspect> aspects, Links links) {
  public enum Aspect {
    /** Permissions; without it, the umask determines those of new files. */
    MODE("mode"),
    /** Modification times, also of directories and links; without it, the time of writing. */
    TIMES("times"),
    /** Setuid, setgid and sticky. */
    SPECIAL_BITS("special-bits"),
    /** Owner and group, by number. */
    OWNER("owner"),
    /** Extended attributes of users (user.*). */
    XATTRS("xattrs"),
    /** All other extended attributes (security.*, trusted.*). */
    ALL_XATTRS("all-xattrs"),
    /** POSIX access lists. */
    ACLS("acls"),
    /** Several names of one file. */
    HARD_LINKS("hard-links"),
    /** Holes, which are not sent and stay holes. */
    SPARSE("sparse");

    private final String text;

    Aspect(String text) {
      this.text = text;
    }

    public String text() {
      return text;
    }
  }

  /** How symbolic links are treated. */
  public enum Links {
    /** Copied as links. */
    COPY,
    /** Replaced by their target, which must lie beneath the source. */
    FOLLOW,
    /** Skipped. */
    SKIP
  }

  /** Keeps mode, times and holes; copies links as links. */
  public static final Preservation DEFAULT =
      new Preservation(EnumSet.of(Aspect.MODE, Aspect.TIMES, Aspect.SPARSE), Links.COPY);

  public Preservation {
    Set<Aspect> all = EnumSet.noneOf(Aspect.class);
    all.addAll(aspects);
    if (all.contains(Aspect.SPECIAL_BITS) || all.contains(Aspect.ACLS)) {
      all.add(Aspect.MODE);
    }
    if (all.contains(Aspect.ALL_XATTRS)) {
      all.add(Aspect.XATTRS);
    }
    aspects = Collections.unmodifiableSet(all);
  }

  /** Keeps exactly these aspects; copies links as links. */
  public static Preservation of(Collection<Aspect> aspects) {
    return new Preservation(Set.copyOf(aspects), Links.COPY);
  }

  public boolean keeps(Aspect aspect) {
    return aspects.contains(aspect);
  }

  /** The words of the aspects that are not among these, in order. */
  public List<String> lacking(Set<Aspect> available) {
    return aspects.stream()
        .filter(aspect -> !available.contains(aspect))
        .sorted()
        .map(Aspect::text)
        .toList();
  }

  /** A copy with or without an aspect. */
  public Preservation with(Aspect aspect, boolean kept) {
    Set<Aspect> all = EnumSet.noneOf(Aspect.class);
    all.addAll(aspects);
    if (kept) {
      all.add(aspect);
    } else {
      all.remove(aspect);
    }
    return new Preservation(all, links);
  }

  public Preservation withLinks(Links value) {
    return new Preservation(aspects, value);
  }

  /**
   * Whether writing these attributes gives away rights of the writing process: owners, special
   * bits, attributes that the system trusts.
   */
  public boolean givesRights() {
    return keeps(Aspect.OWNER) || keeps(Aspect.SPECIAL_BITS) || keeps(Aspect.ALL_XATTRS);
  }
}

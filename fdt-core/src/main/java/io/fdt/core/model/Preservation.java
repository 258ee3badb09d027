package io.fdt.core.model;

import java.util.Collection;
import java.util.Collections;
import java.util.EnumSet;
import java.util.Set;

/**
 * What of the files is kept besides their names and bytes. Immutable.
 *
 * <p>What needs something else brings it along: special bits and access lists are parts of a mode,
 * all attributes include those of users.
 *
 * @param aspects what is kept
 * @param links what becomes of symbolic links
 */
public record Preservation(Set<Aspect> aspects, Links links) {
  /** One thing that can be kept. */
  public enum Aspect {
    /** Permissions; without it those that a new file gets from the process's mask. */
    MODE("mode"),
    /** Times of modification, also of directories and links; without it that of the writing. */
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
    /** Holes: they are not sent, and stay holes. */
    SPARSE("sparse");

    private final String text;

    Aspect(String text) {
      this.text = text;
    }

    /** Its name, for people. */
    public String text() {
      return text;
    }
  }

  /** What becomes of symbolic links. */
  public enum Links {
    /** They arrive as links. */
    COPY,
    /** What they point to arrives in their place, as long as it is beneath the source. */
    FOLLOW,
    /** They are left out. */
    SKIP
  }

  /** Mode, times, holes; links as links. */
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

  /** Exactly these, with links as links. */
  public static Preservation of(Collection<Aspect> aspects) {
    return new Preservation(Set.copyOf(aspects), Links.COPY);
  }

  public boolean keeps(Aspect aspect) {
    return aspects.contains(aspect);
  }

  /** The same and this, or without it. */
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
   * Whether who writes this gives away rights of the writing process: owners, special bits,
   * attributes that the system believes.
   */
  public boolean givesRights() {
    return keeps(Aspect.OWNER) || keeps(Aspect.SPECIAL_BITS) || keeps(Aspect.ALL_XATTRS);
  }
}

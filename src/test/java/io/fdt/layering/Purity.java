package io.fdt.layering;

import com.tngtech.archunit.core.domain.Dependency;
import com.tngtech.archunit.core.domain.JavaAccess;
import com.tngtech.archunit.core.domain.JavaClass;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/**
 * What a pure class must not touch: sockets, files, the clock, threads, randomness, the process
 * around it.
 */
final class Purity {
  private static final List<String> FORBIDDEN_PACKAGES =
      List.of(
          "java.lang.foreign",
          "java.net",
          "java.nio.channels",
          "java.nio.file",
          "java.rmi",
          "java.util.concurrent",
          "java.util.logging",
          "javax.net");

  private static final Set<String> FORBIDDEN_CLASSES =
      Set.of(
          "java.io.Console",
          "java.io.File",
          "java.io.FileDescriptor",
          "java.io.FileInputStream",
          "java.io.FileOutputStream",
          "java.io.FileReader",
          "java.io.FileWriter",
          "java.io.RandomAccessFile",
          "java.lang.InheritableThreadLocal",
          "java.lang.Process",
          "java.lang.ProcessBuilder",
          "java.lang.ProcessHandle",
          "java.lang.Runtime",
          "java.lang.Thread",
          "java.lang.ThreadLocal",
          "java.security.SecureRandom",
          "java.time.Clock",
          "java.time.InstantSource",
          "java.util.Timer",
          "java.util.TimerTask");

  /** Units of time are values, not clocks. */
  private static final Set<String> ALLOWED_CLASSES = Set.of("java.util.concurrent.TimeUnit");

  /** Members of classes that are else allowed. */
  private static final Set<String> FORBIDDEN_MEMBERS =
      Set.of(
          "java.lang.Math.random",
          "java.lang.Object.notify",
          "java.lang.Object.notifyAll",
          "java.lang.Object.wait",
          "java.lang.System.console",
          "java.lang.System.currentTimeMillis",
          "java.lang.System.err",
          "java.lang.System.exit",
          "java.lang.System.getProperty",
          "java.lang.System.getenv",
          "java.lang.System.in",
          "java.lang.System.nanoTime",
          "java.lang.System.out",
          "java.util.UUID.randomUUID");

  /**
   * Classes that read the clock, or make a seed of it, where their constructor is given nothing.
   */
  private static final Set<String> FORBIDDEN_DEFAULTS =
      Set.of(
          "java.util.Date",
          "java.util.GregorianCalendar",
          "java.util.Random",
          "java.util.SplittableRandom");

  private Purity() {}

  /** What this class touches and must not, each as a sentence with the line. */
  static Stream<String> violations(JavaClass type) {
    Stream<String> types =
        type.getDirectDependenciesFromSelf().stream()
            .filter(dependency -> isForbidden(dependency.getTargetClass().getBaseComponentType()))
            .filter(dependency -> !isPathOfBytePath(dependency))
            .map(Dependency::getDescription);
    Stream<String> members =
        type.getAccessesFromSelf().stream()
            .filter(Purity::isForbidden)
            .map(JavaAccess::getDescription);
    return Stream.concat(types, members);
  }

  private static boolean isForbidden(JavaClass type) {
    String name = type.getName();
    if (ALLOWED_CLASSES.contains(name)) {
      return false;
    }
    String outermost = name.contains("$") ? name.substring(0, name.indexOf('$')) : name;
    return FORBIDDEN_CLASSES.contains(outermost)
        || FORBIDDEN_PACKAGES.stream().anyMatch(forbidden -> name.startsWith(forbidden + "."));
  }

  private static boolean isForbidden(JavaAccess<?> access) {
    String owner = access.getTargetOwner().getName();
    String member = access.getTarget().getName();
    if (member.equals("<init>")) {
      return FORBIDDEN_DEFAULTS.contains(owner)
          && access.getTarget().getFullName().endsWith("<init>()");
    }
    if (owner.startsWith("java.time.") && member.equals("now")) {
      return true;
    }
    return FORBIDDEN_MEMBERS.contains(owner + "." + member);
  }

  /**
   * The one exception: a Path is where the path of a Java program comes in and goes out, and only
   * its text is read.
   */
  private static boolean isPathOfBytePath(Dependency dependency) {
    return dependency.getOriginClass().getName().equals("io.fdt.core.model.BytePath")
        && dependency.getTargetClass().getName().equals("java.nio.file.Path");
  }
}

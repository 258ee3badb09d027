package io.fdt.layering;

import com.tngtech.archunit.core.domain.Dependency;
import com.tngtech.archunit.core.domain.JavaClass;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * Files whose classes use each other in a circle, found by Tarjan's algorithm (SIAM Journal on
 * Computing 1, 1972). A class within another one counts as that one. One use.
 */
final class Cycles {
  private final Map<String, TreeSet<String>> uses = new TreeMap<>();
  private final Map<String, Integer> indexes = new HashMap<>();
  private final Map<String, Integer> lowest = new HashMap<>();
  private final Deque<String> stack = new ArrayDeque<>();
  private final List<String> found = new ArrayList<>();

  private Cycles() {}

  /** Each circle, as the names of its classes in order. */
  static List<String> among(Collection<JavaClass> classes) {
    Cycles cycles = new Cycles();
    for (JavaClass type : classes) {
      cycles.uses.computeIfAbsent(file(type), name -> new TreeSet<>());
    }
    for (JavaClass type : classes) {
      for (Dependency dependency : type.getDirectDependenciesFromSelf()) {
        String used = file(dependency.getTargetClass().getBaseComponentType());
        if (cycles.uses.containsKey(used)) {
          cycles.uses.get(file(type)).add(used);
        }
      }
    }
    for (String name : cycles.uses.keySet()) {
      if (!cycles.indexes.containsKey(name)) {
        cycles.visit(name);
      }
    }
    return cycles.found;
  }

  private static String file(JavaClass type) {
    int dollar = type.getName().indexOf('$');
    return dollar < 0 ? type.getName() : type.getName().substring(0, dollar);
  }

  private void visit(String name) {
    indexes.put(name, indexes.size());
    lowest.put(name, indexes.get(name));
    stack.push(name);
    for (String used : uses.get(name)) {
      if (!indexes.containsKey(used)) {
        visit(used);
        lowest.merge(name, lowest.get(used), Math::min);
      } else if (stack.contains(used)) {
        lowest.merge(name, indexes.get(used), Math::min);
      }
    }
    if (lowest.get(name).equals(indexes.get(name))) {
      TreeSet<String> circle = new TreeSet<>();
      String member;
      do {
        member = stack.pop();
        circle.add(member);
      } while (!member.equals(name));
      if (circle.size() > 1) {
        found.add(
            circle.stream()
                .map(type -> type.substring("io.fdt.".length()))
                .collect(Collectors.joining(", ")));
      }
    }
  }
}

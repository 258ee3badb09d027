package io.fdt.core.tuning.rate;

import java.util.Arrays;

/**
 * Divides an amount so that no share can grow without a smaller one shrinking: max-min fairness.
 * Pure.
 */
public final class FairShares {
  private FairShares() {}

  /**
   * The share of each.
   *
   * @param amount to divide, 0 or more and finite
   * @param wanted the demand of each, 0 or more; may be infinite
   * @return the demands if the amount is enough; otherwise shares whose sum is the amount
   */
  static double[] of(double amount, double[] wanted) {
    double[] shares = new double[wanted.length];
    Integer[] smallestFirst = new Integer[wanted.length];
    Arrays.setAll(smallestFirst, i -> i);
    Arrays.sort(smallestFirst, (a, b) -> Double.compare(wanted[a], wanted[b]));
    double left = amount;
    int open = wanted.length;
    for (int i : smallestFirst) {
      shares[i] = Math.min(wanted[i], left / open);
      left = Math.max(0, left - shares[i]);
      open--;
    }
    return shares;
  }

  /**
   * The same, with the unused rest divided as well, so that growing demand finds room.
   *
   * @param amount to divide, 0 or more; may be infinite
   * @param most the maximum of each share; may be infinite
   */
  static double[] all(double amount, double[] wanted, double most) {
    if (Double.isInfinite(amount)) {
      double[] shares = new double[wanted.length];
      Arrays.fill(shares, most);
      return shares;
    }
    double[] bounded = Arrays.stream(wanted).map(one -> Math.min(one, most)).toArray();
    double[] shares = of(amount, bounded);
    double left = Math.max(0, amount - Arrays.stream(shares).sum());
    double[] room = Arrays.stream(shares).map(share -> Math.max(0, most - share)).toArray();
    double[] more = of(left, room);
    for (int i = 0; i < shares.length; i++) {
      shares[i] += more[i];
    }
    return shares;
  }
}

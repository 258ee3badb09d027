/**
 * Copies as Spark jobs: the driver plans, executors copy units with clients of their own, Spark
 * places, retries and shows them. docs/SPARK.md says how.
 */
package io.fdt.spark;

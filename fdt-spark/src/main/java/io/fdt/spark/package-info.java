/**
 * Copies as Spark jobs: the driver plans, executors copy units with their own clients, Spark
 * schedules, retries and shows them. See docs/SPARK.md.
 */
package io.fdt.spark;

/**
 * Whether page requests are wanted, or why they are not. `database`: it cannot be written to. `disk-reserve`: too little
 * is free on its disk. `queue-full`: too many wait to be written.
 */
export type Readiness = "ready" | "database" | "disk-reserve" | "queue-full";

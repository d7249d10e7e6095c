/** Whether somebody pressed Ctrl+C while something long was at work. */
export interface Interruption {
  readonly isRequested: boolean;
}

const signals = ["SIGINT", "SIGTERM"] as const;

/**
 * Runs something long that ends between two steps when Ctrl+C is pressed, or the system asks it to. A second time the
 * program ends at once.
 */
export async function interruptible<Result>(
  run: (interruption: Interruption) => Promise<Result>,
): Promise<Result> {
  const interruption = { isRequested: false };
  const ignore = () => {
    for (const signal of signals) process.off(signal, want);
  };
  const want = () => {
    interruption.isRequested = true;
    ignore();
  };
  for (const signal of signals) process.on(signal, want);
  try {
    return await run(interruption);
  } finally {
    ignore();
  }
}

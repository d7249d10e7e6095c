/** Runs something later, in milliseconds; the function that is returned cancels it. */
export type StartTimer = (delayMs: number, run: () => void) => () => void;

/** A timer that does not keep the process alive. */
export const startTimer: StartTimer = (delayMs, run) => {
  const timer = setTimeout(run, delayMs).unref();
  return () => clearTimeout(timer);
};

// Loaded before a node (`node --import`): its wall clock is ahead, its timers are not.
const aheadMs = Number(process.env["CLOCK_AHEAD_MS"] ?? 30_000);
const RealDate = Date;

globalThis.Date = class extends RealDate {
  constructor(...given: readonly unknown[]) {
    // Without arguments the present; with some, what they say.
    super(...((given.length === 0 ? [RealDate.now() + aheadMs] : given) as [number]));
  }

  static override now(): number {
    return RealDate.now() + aheadMs;
  }
} as DateConstructor;

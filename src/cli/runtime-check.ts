/** Oldest Node.js that runs this program: the first that responds with 431 to too many header fields. */
const oldest = [24, 18, 1] as const;

/** Says that a version of Node.js, such as `"20.20.2"`, is too old; undefined when it is not. */
export function tooOld(version: string): string | undefined {
  const found = version.split(".").map(Number);
  for (const [i, least] of oldest.entries()) {
    const part = found[i] ?? 0;
    if (part > least) return undefined;
    if (part < least) {
      return `web-forms-helper needs Node.js ${oldest.join(".")} or newer, this is ${version}. In the repository, npm scripts run on the right one: npm ci, then npm start.`;
    }
  }
  return undefined;
}

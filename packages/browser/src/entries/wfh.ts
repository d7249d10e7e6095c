import { startFromTag } from "./script-tag.ts";

startFromTag({});

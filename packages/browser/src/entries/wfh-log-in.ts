import { autoLogIn, logIn, logOut } from "../log-in.ts";
import { startFromTag } from "./script-tag.ts";

startFromTag({ logIn, autoLogIn, logOut });

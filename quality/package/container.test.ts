// In one process, since building the image takes longest.
import "./container-alone.ts";
import "./container-compose.ts";

import type { DeclareCommand } from "../../command.ts";
import { declareAdd, declareSet } from "./add-and-set.ts";
import { declareExport } from "./export.ts";
import { declareImport } from "./import.ts";
import { declareList } from "./list.ts";
import { declareRemove } from "./remove.ts";

const help = `
Examples:
  wfh forms add 7 --name "Order form" --instance 3 --origin https://www.example.org
                                            allow log-ins from pages of that origin
  wfh forms set 7 --remember persistent     remember visitors when they come back
  wfh forms set 7 --origin https://www.example.org https://shop.example.org
                                            replace the origins
  wfh forms list                            list all forms
  wfh forms export --output forms.csv       write all forms to a file
  wfh forms import forms.csv --dry-run      preview the changes
  wfh forms import forms.csv                add and change forms, all or nothing
  wfh forms remove 7                        refuse log-ins through form 7

Form ids and application instance ids are the numbers that the pages send. How long a log-in is
remembered (--remember) and which pages the cookie reaches (--same-site) belong to the application instance:
all its forms share them. An origin is scheme://host or scheme://host:port. A running server
applies changes within a second.
`;

/** `wfh forms`. */
export const declareCommand: DeclareCommand = (forms, context) => {
  forms.addHelpText("after", help);
  const verbs = [declareImport, declareExport, declareAdd, declareSet, declareList, declareRemove];
  for (const declare of verbs) declare(forms, context);
};

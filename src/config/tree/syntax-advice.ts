/** What to do about each way in which a file can fail to be YAML. The library's own words may quote the file. */
import type { ErrorCode } from 'yaml'

const NOT_YAML = 'this is not YAML that can be read; write plain keys and values instead'
const QUOTES = 'write the value in quotes instead'
const INDENT = 'the indentation does not fit, or a bracket is not closed; write it in line with what is above instead'
const COLON = `a value holds a colon, or the indentation does not fit; ${QUOTES}, or mend the indentation`

export const SYNTAX_ADVICE: Readonly<Record<ErrorCode, string>> = {
  ALIAS_PROPS: `a value that begins with * is an alias; ${QUOTES}`,
  BAD_ALIAS: `a value that begins with * is an alias, and there is nothing of that name above; ${QUOTES}`,
  BAD_COLLECTION_TYPE: 'tags are not read; remove what begins with !, and write text in quotes instead',
  BAD_DIRECTIVE: 'lines that begin with % are not read; remove it',
  BAD_DQ_ESCAPE: 'a backslash in double quotes begins an escape; write single quotes instead',
  BAD_INDENT: INDENT,
  BAD_PROP_ORDER: NOT_YAML,
  BAD_SCALAR_START: `a value cannot begin with this character; ${QUOTES}`,
  BLOCK_AS_IMPLICIT_KEY: COLON,
  BLOCK_IN_FLOW: INDENT,
  DUPLICATE_KEY: 'this key is there already; write it once instead',
  IMPOSSIBLE: NOT_YAML,
  KEY_OVER_1024_CHARS: 'this key is too long; write a colon after a short one instead',
  MISSING_CHAR: 'a quote, a bracket or a colon is missing here or above; write it',
  MULTILINE_IMPLICIT_KEY: COLON,
  MULTIPLE_ANCHORS: NOT_YAML,
  MULTIPLE_DOCS: 'a second document begins here; write one document in a file, without --- inside it',
  MULTIPLE_TAGS: NOT_YAML,
  NON_STRING_KEY: 'a key must be plain text; write text before the colon instead',
  RESOURCE_EXHAUSTION: 'this is nested too deeply; write it flatter instead',
  TAB_AS_INDENT: 'a tab stands where the line begins; write spaces instead',
  TAG_RESOLVE_FAILED: 'tags are not read; remove what begins with !, and write text in quotes instead',
  UNEXPECTED_TOKEN: `this does not belong here; where a value begins with [ or {, ${QUOTES}`,
}

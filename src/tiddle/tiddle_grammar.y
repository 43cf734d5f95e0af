/* The grammar of Tiddle, after Figure 24.1 of Sadowski: operation,
 * thread, operands, one operation a line. Lines reach the parser's client one by
 * one through `line`, so a trace of any length needs a stack of a few entries. */
%name tiddle_grammar
%token_prefix TOKEN_
%token_type {struct tiddle_token}
%extra_argument {struct tiddle_statement *statement}

%include {
#include "tiddle/statement.h"

#include <assert.h>
#include <stddef.h>
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wmissing-prototypes"
#pragma GCC diagnostic ignored "-Wunused-parameter"
#pragma GCC diagnostic ignored "-Wunused-variable"
}

/* What could have come instead is in the parser's own table. */
%syntax_error {
    statement->failed = true;
    for (int token = 1; token < YYNTOKEN; token++)
        if (yy_find_shift_action((YYCODETYPE)token, yypParser->yytos->stateno) != YY_ERROR_ACTION)
            statement->expected |= 1u << token;
}

file ::= lines.
lines ::= .
lines ::= lines line.
line ::= NEWLINE.
line ::= operation location NEWLINE.

operation ::= LOCAL thread.
operation ::= UNARY thread object.
operation ::= BINARY thread object other.
operation ::= ACCESS thread object.
operation ::= ACCESS thread object value.
operation ::= BLOCK thread.
operation ::= BLOCK thread object.

thread ::= name(N). { statement->thread = N; }
object ::= name(N). { statement->object = N; }
other ::= name(N).  { statement->other = N; }
value ::= NUMBER(N). { statement->value = N; }
location ::= .
location ::= LOCATION(L). { statement->location = L; }

%type name {struct tiddle_token}
name(R) ::= WORD(N).   { R = N; }
name(R) ::= NUMBER(N). { R = N; }
name(R) ::= STRING(N). { R = N; }

/* The grammar of Tiddle programs, line by line; what is inside of which condition the parser's
 * client keeps. */
%name code_grammar
%token_prefix CODE_TOKEN_
%token_type {struct code_token}
%extra_argument {struct code_statement *statement}

%include {
#include "tiddle/code_statement.h"

#include <assert.h>
#include <stddef.h>
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wmissing-prototypes"
#pragma GCC diagnostic ignored "-Wunused-parameter"
#pragma GCC diagnostic ignored "-Wunused-variable"
}

%syntax_error { statement->failed = true; }

file ::= lines.
lines ::= .
lines ::= lines line.
line ::= NEWLINE.
line ::= operation NEWLINE.

operation ::= PROGRAM(W).                              { statement->word = W; }
operation ::= INTO(W) thread object.                   { statement->word = W; }
operation ::= INTO(W) thread object local.             { statement->word = W; }
operation ::= WRITE(W) thread object value(V).         { statement->word = W; statement->value = V; }
operation ::= ADD(W) thread object term(V).            { statement->word = W; statement->value.first = V; }
operation ::= ADD(W) thread object term(V) local.      { statement->word = W; statement->value.first = V; }
operation ::= EXCHANGE(W) thread object term(A) term(B).
    { statement->word = W; statement->wanted.first = A; statement->value.first = B; }
operation ::= EXCHANGE(W) thread object term(A) term(B) local.
    { statement->word = W; statement->wanted.first = A; statement->value.first = B; }
operation ::= UNARY(W) thread object.                  { statement->word = W; }
operation ::= WAIT(W) thread object NAME(N).           { statement->word = W; statement->other = N; }
operation ::= THREADS(W) thread thread_name(N).        { statement->word = W; statement->other = N; }
operation ::= LET(W) thread local IS value(V).         { statement->word = W; statement->value = V; }
operation ::= IF(W) thread comparison OPEN.            { statement->word = W; }
operation ::= CLOSE(W).                                { W.op = CODE_CLOSE; statement->word = W; }
operation ::= CLOSE(W) ELSE OPEN.                      { W.op = CODE_ELSE; statement->word = W; }
operation ::= ASSERT(W) thread comparison.             { statement->word = W; }

comparison ::= value(A) COMPARE(C) value(B).
    { statement->value = A; statement->comparison = C.op; statement->wanted = B; }

thread ::= thread_name(N).                             { statement->thread = N; }
object ::= NAME(N).                                    { statement->object = N; }
local ::= NAME(N).                                     { statement->local = N; }

%type thread_name {struct code_token}
thread_name(R) ::= NAME(N).                            { R = N; }
thread_name(R) ::= NUMBER(N).                          { R = N; }

%type value {struct code_text_value}
value(R) ::= term(A).                                  { R = (struct code_text_value){.first = A}; }
value(R) ::= term(A) PLUS term(B).                     { R = (struct code_text_value){A, B, '+'}; }
value(R) ::= term(A) MINUS term(B).                    { R = (struct code_text_value){A, B, '-'}; }

%type term {struct code_text_term}
term(R) ::= NAME(N).                                   { R = (struct code_text_term){N, false}; }
term(R) ::= NUMBER(N).                                 { R = (struct code_text_term){N, false}; }
term(R) ::= MINUS NUMBER(N).                           { R = (struct code_text_term){N, true}; }

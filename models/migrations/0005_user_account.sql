-- `user` is a reserved word of SQL. Only the catalogue changes.
ALTER TABLE user RENAME TO user_account;

"""The database engine: connections, transactions, durability, and where payloads are stored."""

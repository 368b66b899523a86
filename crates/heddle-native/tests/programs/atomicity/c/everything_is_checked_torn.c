// expect: atomicity balance 14 17
// env: HEDDLE_OPTIONS=atomic=all
// Nothing is annotated: that the value was read by then in another section does not excuse the write.

#include <pthread.h>
#include <stdio.h>

static int balance = 100;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *withdraw(void *amount)
{
    pthread_mutex_lock(&lock);
    int left = balance;
    pthread_mutex_unlock(&lock);
    pthread_mutex_lock(&lock);
    balance = left - *(int *)amount;
    pthread_mutex_unlock(&lock);
    return NULL;
}

int main(void)
{
    int amount = 10;
    pthread_t one, two;
    pthread_create(&one, NULL, withdraw, &amount);
    pthread_create(&two, NULL, withdraw, &amount);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    printf("%d\n", balance);
    return 0;
}

/** Start the customer page. One build serves all tenants: the address says which one. */
import { createApp } from 'vue'
import ChatPage from './chat/ChatPage.vue'
import './ui/tokens.css'
import './ui/page.css'

const tenant = new URLSearchParams(location.search).get('tenant') ?? 'demo'

createApp(ChatPage, { tenant }).mount('#app')

import{a,b,c}from"./chunk-DDCHPJZD.js";import"./chunk-VKRQFNOZ.js";import"./chunk-H4VVWEOZ.js";import"./chunk-KWOO4V6I.js";import"./chunk-IIKMONSJ.js";c();export{a as AuditTabs,b as default};

import{a,b,c}from"./chunk-XDB4ZYZ5.js";import"./chunk-PYJGMQIH.js";import"./chunk-G6XZR2CJ.js";import"./chunk-VFESWWDY.js";import"./chunk-EFMXWPQZ.js";c();export{a as CalendarTabs,b as default};

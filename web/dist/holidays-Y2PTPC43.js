import{a,b,c}from"./chunk-KPK3TXOM.js";import"./chunk-HRZRTH7Z.js";import"./chunk-YQY62YWT.js";import"./chunk-HB2TWUH7.js";import"./chunk-2WWN6WQ5.js";c();export{a as CalendarTabs,b as default};

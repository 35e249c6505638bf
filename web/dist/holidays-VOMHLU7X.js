import{a,b,c}from"./chunk-ZZQUOXVR.js";import"./chunk-6YQZNN6K.js";import"./chunk-KJ6AMP6G.js";import"./chunk-E5YI5QY3.js";import"./chunk-VH63SMTT.js";c();export{a as CalendarTabs,b as default};

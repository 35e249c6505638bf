import{a,b,c}from"./chunk-PJZ7KEX2.js";import"./chunk-PK5GDNQN.js";import"./chunk-BEAXNWUX.js";import"./chunk-LRDV5UUJ.js";import"./chunk-5XOGUIOE.js";c();export{a as CalendarTabs,b as default};

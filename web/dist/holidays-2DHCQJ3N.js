import{a,b,c}from"./chunk-OR5T2G2U.js";import"./chunk-55C5OV5W.js";import"./chunk-IDFEA5G6.js";import"./chunk-BJJ3PQ36.js";import"./chunk-4FJQJHQU.js";c();export{a as CalendarTabs,b as default};

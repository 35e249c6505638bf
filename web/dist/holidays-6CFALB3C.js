import{a,b,c}from"./chunk-V4UE3Q4P.js";import"./chunk-KII6D4LB.js";import"./chunk-RNDP5NNH.js";import"./chunk-FYABTPMJ.js";import"./chunk-7F5WRZ6E.js";c();export{a as CalendarTabs,b as default};
